#!/bin/sh
# recorder_start.t -- allocations before the recorder's constructor, and after its destructor,
# do no harm.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
. "$MU_SRC/tests/lib/recorder.sh"

run early
if [ "$status" = 139 ]; then
	skip 'with glibc 2.43 malloc in an ifunc resolver crashes, without memusage too'
else
	profiled 'ifunc resolver, preinit, first constructor, last destructor' early
	is "$(report_field free bytes)" "$(report_field heap total)" 'all that was recorded was freed'

	LD_BIND_NOW=1
	export LD_BIND_NOW
	profiled 'the same with every symbol bound at once' early
	unset LD_BIND_NOW
fi

run env LD_PRELOAD="$WORKLOADS/libearly.so" early
if [ "$status" -gt 128 ]; then
	skip 'with glibc before 2.34 dlsym in an ifunc resolver crashes, without memusage too'
else
	LD_PRELOAD=$WORKLOADS/libearly.so
	export LD_PRELOAD
	truth=no
	profiled "another preload that wraps malloc" early
	is "$(report_field 6992-7007 count)" 1 'its first constructor is recorded'
	is "$(report_field 8000-8015 count)" 1 'and its calloc'
	unset LD_PRELOAD
	run env "LD_PRELOAD=$WORKLOADS/libearly.so $LIB" MEMUSAGE_DIR="$MU_TMP" early
	is "$status" 0 'before the recorder instead of behind it'
	is "$out" "$(cat native.out)" 'the same output'
	like "$err" ' malloc\| +[1-9]' 'recorded'
	truth=yes
fi

profiled 'constructors of thread_local objects' perthread 20
done_testing
