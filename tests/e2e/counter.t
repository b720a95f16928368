#!/bin/sh
# counter.t -- --time-unit=i without the emulator: the CPU's counter, or the reason why not.
#
# Machines that count no instructions do count the time of a thread, by software: the same way
# from the counter to the profile.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
need_bin memusage memusageprint
PATH=$WORKLOADS:$PATH
last() { sed -n 's/^time=//p' "$1" | tail -n 1; }

# Whether there is a counter is asked without memusage, so that one it fails to use is no excuse.
cat >can.c <<'EOF'
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	struct perf_event_attr event = { .type = (unsigned)atoi(argv[1]), .size = sizeof(event),
		.config = (unsigned)atoi(argv[2]), .exclude_kernel = 1, .exclude_hv = 1 };
	int fd = (int)syscall(SYS_perf_event_open, &event, 0, -1, -1, 0);
	struct perf_event_mmap_page *page = fd < 0 ? MAP_FAILED :
		mmap(NULL, (size_t)sysconf(_SC_PAGESIZE), PROT_READ, MAP_SHARED, fd, 0);
	if (fd < 0 || page == MAP_FAILED)
		return perror("no counter"), 2;
	return event.type == PERF_TYPE_HARDWARE && !page->cap_user_rdpmc ? puts("no rdpmc"), 2 : 0;
}
EOF
compile "${CC:-cc}" -o can can.c

# ---- instructions

./can 0 1 >why 2>&1
can=$?
run memusage -q --time-unit=i --massif-out-file=i.massif counted 1 20
if [ "$can" -eq 0 ]; then
	is "$status" 0 'instructions are counted'
	is "$(sed -n 's/^time_unit: //p' i.massif)" i 'the CPU counts instructions'
	num "$(last i.massif)" -gt 10000000 '... of 40 ms'
else
	is "$status" 125 'where the CPU does not count instructions, they are refused'
	like "$(cat .err)" 'time-unit=i: .*(counter|seccomp|paranoid|kernel)' '... with the reason'
fi
run memusage --time-unit=i --accesses=emulate -q --massif-out-file=i.massif true
unlike "$(cat .err)" 'counter' 'the emulator needs no counter'
MEMUSAGE_COUNTER=cycles run memusage --time-unit=i true
is "$status" 125 'an event that is none is refused'
MEMUSAGE_COUNTER=65000:1 run memusage --time-unit=i true
is "$status" 125 '... and one that the kernel does not know'
like "$(cat .err)" 'time-unit=i: ' '... as the same failure'

# ---- nanoseconds of threads in their place

export MEMUSAGE_COUNTER=1:1
./can 1 1 >why 2>&1 || {
	skip "a thread's time cannot be counted: $(cat why)"
	done_testing
}
# What rests is brought up to date by the kernel; the rest is the scheduler's.
run counted 1 1
open=$(grep -c descriptor .out)
worked() { sed -n "s/^worked //p" "$1"; }
for threads in 1 4; do
	run memusage -q --time-unit=i --massif-out-file=t.massif counted $threads 20
	is "$status" 0 "$threads threads: counted"
	is "$(grep -c descriptor .out)" "$open" '... without a descriptor in the program, and all can be closed'
	num "$(last t.massif)" -ge $(($(worked .out) * 900000)) '... the time of all of them'
	num "$(last t.massif)" -le $(($(worked .out) * 3000000)) '... and not much else'
	sed -n 's/^time=//p' t.massif >moments
	sort -n moments | cmp -s - moments
	is "$?" 0 '... which never goes back'
done

memusage -q --time-unit=i --massif-out-file='f.%p' counted 1 20 fork >out
set -- f.*
is "$#" 2 'a forked child has a profile, too'
# The larger number need not be the child's: numbers of processes begin again.
for file; do last "$file"; done | sort -n >lasts
num "$(sed -n 1p lasts)" -ge 36000000 "its parent's is of its own work"
num "$(sed -n 2p lasts)" -ge 72000000 '... and its own goes on with it'

memusage -q --time-unit=i --dhat-out-file=t.dhat --dhat counted 1 20 >out
num "$(sed -n 's/.*"te":\([0-9]*\).*/\1/p' t.dhat)" -ge 36000000 "DHAT's profile has that time, too"
memusage -o report --time-unit=i --massif-out-file=t.massif counted 3 1 poor >out
like "$(cat report)" 'not recorded: 2 threads whose instructions' 'threads without a counter are said'
done_testing
