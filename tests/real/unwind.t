#!/bin/sh
# unwind.t -- every call stack that the recorder finds is libunwind's, frame by frame.
#
# Each program runs with a recorder that asks libunwind, too, at every allocation
# (tests/real/unwind/verify.c). At least 99.9 % of a program's stacks must be the same, all others
# marked as cut, truncated or found without tables; none may differ unmarked. Programs whose
# stacks are deeper than what is kept, or have code without tables, may have more of those.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
need_bin memusage
CC=${CC:-cc} CXX=${CXX:-c++} PROGRAMS=$MU_SRC/tests/real/unwind
sum_stacks=0 sum_same=0 sum_recalled=0

# ---- a second recorder, in a tree of the same shape

mkdir -p tree/bin tree/lib/memusage
cp "$MU_BUILD/bin/memusage" tree/bin/
printf '#include <libunwind.h>\nint main(void) { return unw_backtrace(0, 0); }\n' >try.c
has_library libunwind.so || skip_all 'no libunwind here (libunwind-dev)'
compile "$CC" -o try try.c -lunwind
set --
for f in "$MU_SRC"/libmemusage/*/*.c "$MU_SRC"/libmemusage/*/"$(uname -m)"/*.[cS]; do
	case $f in */hooks/*) continue ;; esac # a library of its own
	f=$MU_BUILD/pic/libmemusage/${f#"$MU_SRC"/libmemusage/}
	[ ! -e "${f%.*}.o" ] || set -- "$@" "${f%.*}.o"
done
if ! { $CC -std=gnu11 -O2 -g -fPIC -fvisibility=hidden -ftls-model=initial-exec -fexceptions \
	-fno-omit-frame-pointer -fasynchronous-unwind-tables -D_GNU_SOURCE -I"$MU_SRC" \
	-I"$MU_BUILD/gen" -c -o verify.o "$PROGRAMS/verify.c" &&
	$CC -shared -Wl,-z,defs,-z,now -Wl,--version-script="$MU_SRC/libmemusage/libmemusage.map" \
		-Wl,--wrap=walk_stack,--wrap=recall_site,--wrap=walk_forget,--wrap=image_begin \
		-o tree/lib/memusage/libmemusage.so "$@" verify.o -lunwind; } 2>log; then
	fail 'a recorder that compares is built'
	sed 's/^/# /' log
	done_testing
fi

# ---- how a program is judged

# verified TEXT RULE CMD...   RULE strict: 99.9 % are the same; marked: any number may be marked
verified() {
	verified_text=$1 verified_rule=$2
	shift 2
	run "$@"
	mv .out native.out
	native_status=$status
	rm -f counts
	truncate -s 4096 counts
	MEMUSAGE_VERIFY=$PWD/counts
	export MEMUSAGE_VERIFY
	run tree/bin/memusage -q "$@"
	unset MEMUSAGE_VERIFY
	same .out native.out "$verified_text: same output"
	is "$status" "$native_status" "$verified_text: same exit status"
	# shellcheck disable=SC2046  # words are wanted
	judge $(od -A n -t u8 -v -N 56 counts)
}
judge() {
	all=$(($1 + $2 + $3 + $4 + $5 + $6))
	num "$all" -ge 20 "$verified_text: recorded"
	diag "$verified_text: $all stacks, $1 the same, $2 cut, $3 guessed; $7 recalled"
	sum_recalled=$((sum_recalled + $7))
	is "$4 $5 $6" '0 0 0' "$verified_text: none different, longer or missing" ||
		grep '^verify:' .err | sed 's/^/# /'
	if [ "$verified_rule" = strict ]; then
		[ $(($1 * 1000)) -ge $((all * 999)) ] || fail "$verified_text: 99.9 % are the same"
		sum_stacks=$((sum_stacks + all)) sum_same=$((sum_same + $1))
	fi
}
# verified_if CMD TEXT RULE ARGUMENT...: as verified, if there is a CMD
verified_if() {
	command=$(command -v "$1") || command=''
	if [ -z "$command" ]; then
		skip "$2: no $1 here" 4
		return
	fi
	verified_if_text=$2 verified_if_rule=$3
	shift 3
	verified "$verified_if_text" "$verified_if_rule" "$command" "$@"
}

# ---- our own

flags='-D_GNU_SOURCE -fno-builtin -pthread'
# shellcheck disable=SC2086  # words are wanted
{
	$CC -std=gnu11 -O2 $flags -o jumps "$PROGRAMS/jumps.c" -ldl &&
	$CC -std=gnu11 -O1 -fno-omit-frame-pointer $flags -o jumps-bp "$PROGRAMS/jumps.c" -ldl &&
	$CC -shared -fPIC -O2 -DFRAME=40 -o first.so "$PROGRAMS/object.c" &&
	$CC -shared -fPIC -O2 -DFRAME=72 -o second.so "$PROGRAMS/object.c"
} || fail 'the programs are built'
for how in longjmp handler altstack jumping-handler jumping-altstack timer timer-altstack \
	coroutines coroutines-heap shapes reload threads; do
	verified "$how" strict ./jumps $how
	verified "$how, with frame pointers" strict ./jumps-bp $how
done
verified 'deeper than is kept' marked ./jumps deep
if compiled "$CXX" -O2 -pthread -o exceptions "$PROGRAMS/exceptions.cc"; then
	verified 'C++ exceptions' strict ./exceptions
fi

# ---- real ones

cc1=$($CC -print-prog-name=cc1)
if [ -x "$cc1" ]; then
	awk 'BEGIN { for (i = 0; i < 150; i++)
		printf "int f%d(int *a, int n) { int s = 0; for (int i = 0; i < n; i++) " \
			"{ if (a[i] %% %d) s += a[i] * %d; else s ^= a[i] >> %d; } " \
			"switch (s & 7) { case 1: return s; case 3: return -s; } " \
			"return n ? f%d(a + 1, n - 1) : s; }\n", i, i + 2, i, i % 31, i ? i - 1 : 0
		}' >big.c
	verified 'cc1 -O2' strict "$cc1" -quiet -O2 big.c -o big.s
else
	skip 'cc1: not the compiler here' 4
fi
cat >work.sql <<'EOF'
create table t(a integer primary key, b text, c real);
with recursive n(i) as (select 1 union all select i + 1 from n where i < 20000)
	insert into t select i, 'row number ' || i, i / 3.0 from n;
create index u on t(b);
select count(*), sum(length(b)) from t where b like '%9%' group by a % 7;
select json_group_array(b) from (select b from t limit 20);
EOF
verified_if sqlite3 'sqlite3' strict :memory: '.read work.sql'
verified_if perl 'perl' strict -e 'for my $i (1 .. 40000) { push @{$h{$i % 999}}, "value $i" }
	my $n = 0; for (sort keys %h) { $n += () = join(",", @{$h{$_}}) =~ /(\d+)5,/g } print "$n\n"'
cat >work.py <<'EOF'
import json, re, threading
def work():
    for i in range(15):
        text = json.dumps([{"a": [i, 2, 3], "b": "x" * i}] * 50)
        json.loads(text)
        re.sub(r"(\d+)", lambda m: m.group(1) * 2, text)
        try:
            raise ValueError(text)
        except ValueError as e:
            str(e)
threads = [threading.Thread(target=work) for _ in range(4)]
for t in threads: t.start()
for t in threads: t.join()
print("done")
EOF
# Not a script that looks for one.
python=$(python3 -c 'import sys; print(sys.executable)' 2>/dev/null) || python=''
[ ! -x /usr/bin/python3 ] || python=/usr/bin/python3
PYTHONMALLOC=malloc
export PYTHONMALLOC
verified_if "${python:-python3}" 'python3, threads' strict work.py
unset PYTHONMALLOC
git init -q repository 2>/dev/null && (
	cd repository || exit
	for i in 1 2 3 4 5 6 7 8; do
		echo "$i" >"file$i"
		git add . && git -c user.name=A -c user.email=a@example.org commit -q -m "change $i"
	done
)
verified_if git 'git log' strict -C repository log -p --stat
verified_if git 'git fsck' strict -C repository fsck --full
verified_if bash 'bash' strict -c 'declare -A a; for i in {1..300}; do a[x$i]=${i//1/one}; done
	f() { local x=$1; ((x)) && f $((x - 1)); }; f 40; echo "${#a[@]}" $(seq 5 | sort -r)'
verified_if tar 'tar' strict -cf tar.out repository
seq 20000 >lines
verified_if sort 'sort, threads' strict --parallel=4 -S 100K --batch-size=2 lines
verified_if gdb 'gdb' strict -batch -n -ex 'info functions touch' ./jumps
cat >Work.java <<'EOF'
import java.util.*;
public class Work {
	public static void main(String[] args) throws Exception {
		long[] sum = new long[3];
		Thread[] thread = new Thread[3];
		for (int k = 0; k < 3; k++) {
			int n = k;
			thread[k] = new Thread(() -> {
				java.util.zip.Deflater d = new java.util.zip.Deflater();
				for (int i = 0; i < 20000; i++) {
					sum[n] += ("x" + i).hashCode();
					if (i % 100 != 0)
						continue;
					d.reset();
					d.setInput(new byte[1000]);
					d.finish();
					sum[n] += d.deflate(new byte[2000]);
				}
			});
			thread[k].start();
		}
		for (Thread t : thread)
			t.join();
		System.out.println(Arrays.toString(sum));
	}
}
EOF
# Code made at run time has no tables; stacks with it are marked.
if command -v javac >/dev/null && javac Work.java 2>/dev/null; then
	verified_if java 'java' marked -cp . Work
else
	verified_if java 'java' marked --version
fi
verified_if node 'node' marked -e 'const z = require("zlib"); let s = 0
	for (let i = 0; i < 200; i++)
		s += z.deflateSync(Buffer.alloc(5000, i)).length + JSON.stringify({ i: [i] }).length
	console.log(s)'
num "$sum_recalled" -ge 10000 'stacks that were recalled are among them'
diag "all strict ones: $sum_same of $sum_stacks stacks are the same; of all, $sum_recalled recalled"
done_testing
