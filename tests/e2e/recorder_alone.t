#!/bin/sh
# recorder_alone.t -- without a collector, with LD_PRELOAD alone: the program meets nothing of
# the recorder, every process is reported, no file is left.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck disable=SC3045  # ulimit
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
. "$MU_SRC/tests/lib/recorder.sh"
need_bin alone
mkdir arena

# unharmed TEXT [NAME=VALUE...] -- COMMAND...: the same output and status
unharmed() {
	unharmed_text=$1
	unharmed_env=
	shift
	while [ "$1" != -- ]; do
		unharmed_env="$unharmed_env $1"
		shift
	done
	shift
	run "$@"
	mv .out native.out
	native_status=$status
	# shellcheck disable=SC2086
	run env LD_PRELOAD="$LIB" MEMUSAGE_DIR="$MU_TMP/arena" $unharmed_env "$@"
	same .out native.out "$unharmed_text: same output"
	is "$status" "$native_status" "$unharmed_text: same exit status"
	is "$(ls arena 2>/dev/null)" '' "$unharmed_text: no file is left"
	cp .err report
}

unharmed 'no child, no SIGCHLD' -- alone plain
is "$(report_field 4992-5007 count)" 1 'recorded'
unharmed 'stderr and all others closed' -- alone close
is "$(report_field 4992-5007 count)" 1 'recorded'
unharmed 'a forked child' -- alone fork
is "$(grep -c '^Memory usage summary' report)" 2 'parent and child have a summary each'
is "$(grep -c 'heap total: 5000,' report)" 1 "the parent's is its own"
is "$(grep -c 'heap total: 11000,' report)" 1 "the child's has the history"
unharmed 'fork and exec' -- forks exec 2
is "$(grep -c 'heap total: 15000,' report)" 2 'two programs and their parent'
unharmed 'threads' -- threads churn 100
truths 'threads' native.out report
run limits lock 3
if [ "$status" -eq 0 ] || [ "$(ulimit -l)" = unlimited ]; then
	is "$status" 0 'mlockall without us'
	run env LD_PRELOAD="$LIB" MEMUSAGE_DIR="$MU_TMP/arena" limits lock 3
	is "$status" 0 'mlockall'
	memusage --finish arena/* 2>>.err
	is "$(grep -c 'heap total: \(9\|18\)00[05]000,' .err)" 2 'recorded, and its child'
	run env LD_PRELOAD="$LIB" MEMUSAGE_DIR="$MU_TMP/cloned" limits lock-cloned
	like "$out" '^child: 0x300' 'mlockall in a child of a raw clone()'
	mkdir folder
	run env LD_PRELOAD="$LIB" MEMUSAGE_DIR="$MU_TMP/folder" limits lock-unrecorded
	like "$out" '^child: 0x300' 'mlockall in a child that is not recorded'
	isnt "$(ls gone)" '' 'its parent is'
else
	skip 'this user may not lock so much memory' 5
fi
for signal in kill-15 kill-9 _exit; do
	unharmed_files=$(ls arena)
	run env LD_PRELOAD="$LIB" MEMUSAGE_DIR="$MU_TMP/arena" ends $signal
	isnt "$(ls arena)" "$unharmed_files" "$signal: the recording stays"
	run memusage --finish "$MU_TMP"/arena/*
	cp .err report
	is "$(report_field realloc calls)" 1000 "$signal: and can be reported"
done
is "$(ls arena)" '' 'none is left'

unharmed 'no directory' MEMUSAGE_DIR=/nowhere/at/all -- alone plain
unlike "$err" '^ malloc\|' 'not recorded'
run sh -c 'ulimit -f 100; exec env LD_PRELOAD="$LIB" MEMUSAGE_DIR="$MU_TMP/arena" alone plain'
is "$status" 4 'a file size limit that leaves no room'
run sh -c 'ulimit -v 200000; exec env LD_PRELOAD="$LIB" MEMUSAGE_DIR="$MU_TMP/arena" \
	limits take 60'
is "$status" 0 'an address space limit'
cp .err report
if [ -z "${SAN:-}" ]; then
	is "$(report_field 2992-3007 count)" 3000 'recorded'
else
	skip 'a sanitized memusage needs more address space to report it'
	rm -f arena/*
fi
unharmed 'a collector that is gone' MEMUSAGE_COLLECTOR=1:gone: -- alone plain
is "$err" '' 'not recorded, nothing said'

# A relative LD_PRELOAD, and a directory that has another program of that name.
ln -s "$MU_BUILD" build
mkdir -p evil/build/bin
cat >evil/build/bin/memusage <<'END'
#!/bin/sh
echo executed >&2
END
chmod +x evil/build/bin/memusage
run env LD_PRELOAD=build/lib/memusage/libmemusage.so MEMUSAGE_DIR="$MU_TMP/arena" alone chdir evil
is "$status" 4 'a relative LD_PRELOAD, and a program that changes its directory'
cp .err report
is "$(report_field 4992-5007 count)" 1 '... recorded'
unlike "$err" '^executed' '... what lies there is not executed'
done_testing
