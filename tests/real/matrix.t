#!/bin/sh
# matrix.t -- real programs work under memusage as alone, and their reports are sane.
#
# Every line of the table is run once alone and once in each mode: counting, with data file and
# picture, with call stacks. Output, errors and exit status must be the same; the report must
# count what the program allocates, agree with itself, and say of nothing that it is missing.
#
#	MATRIX=git tests/real/matrix.t      only the lines whose name contains "git"
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
. "$MU_SRC/tests/lib/recorder.sh"
glibc_stat=/usr/bin/memusagestat
CC=${CC:-cc}
modes='counting data stacks'
need_bin memusageprint

# ---- the table: NAME | PROGRAM THAT IT NEEDS | COMMAND, as a shell reads it
#
# Output with process IDs, times, addresses or an order of chance is avoided. A command begins
# with the program itself; where it needs a pipe, with sh. A program with a '-' calls no malloc.
table() {
	cat <<'END'
dash             | dash    | dash -c 'x=1; for i in 1 2 3; do x=$x$i; done; echo $x; (echo in)'
dash, pipes      | dash    | dash -c 'seq 100 | grep 1 | wc -l; echo $(echo a; exit 3); exit 7'
bash             | bash    | bash -c 'declare -A a; for i in {1..99}; do a[$i]=$i; done; echo ${#a[@]}'
bash, substitute | bash    | bash -c 'diff <(seq 5) <(seq 6); cat <<<text; echo $?'
ls               | ls      | ls -lR project
ls, failing      | ls      | ls nowhere
cat              | cat     | cat text
sort             | sort    | sort -k2 text
sort, threads    | sort    | sort --parallel=4 -S 200k -T . -n big
tr               | tr      | sh -c 'exec tr a-z A-Z <text'
dd               | dd      | dd if=text bs=512 count=9 status=none
seq              | seq     | seq 1 3 2000
cp               | cp      | cp -r project copied-$mode
sha256sum        | sha256sum | sha256sum text big
grep             | grep    | grep -En '(line|word)+ [0-9]*7$' text
sed              | sed     | sed -E 's/([0-9]+)/<\1>/g; 5,$d' text
awk              | awk     | awk '{ s[$2 % 7] += $2 } END { for (i = 0; i < 7; i++) print s[i] }' text
find             | find    | find project -name '*.c' -exec wc -c '{}' ';'
find, xargs      | xargs   | sh -c 'find project -type f | sort | xargs -n 2 cat'
tar              | tar     | tar -cvf project.tar project
tar, gzip        | tar     | sh -c 'tar -czf - project | tar -tzf -'
gzip             | -gzip   | gzip -nc text
xz, threads      | xz      | xz -T2 --block-size=20000 -c big
bzip2            | bzip2   | bzip2 -c text
zstd, threads    | zstd    | zstd -q -T2 -c big
diff             | diff    | diff -u text big
patch            | patch   | patch -s -o - text text.diff
git log          | git     | git -C repository log --stat -p
git status       | git     | git -C repository status --short
git clone        | git     | git clone -q --no-hardlinks repository clone-$mode
git gc           | git     | git -C repository -c gc.pruneExpire=now -c pack.threads=2 gc -q
git grep         | git     | git -C repository grep -n --threads=4 change
python3          | $python | $python work.py plain
python3, threads | $python | $python work.py threads
python3, forks   | $python | $python work.py forks
python3, runs    | $python | $python work.py runs
python3, dies    | $python | $python -c 'import os; os.abort()'
perl             | perl    | perl -e 'print join(",", sort map { $_ x 2 } "a" .. "zz"), "\n"; exit 3'
perl, forks      | perl    | perl -e 'for (1..9) { my $p = fork; exit $_ unless $p; waitpid $p, 0; print $? }'
perl, threads    | perl    | perl -Mthreads -e 'print map { $_->join } map { threads->new(sub { "x" x 9 }) } 1..8'
perl, signals    | perl    | perl -e '$SIG{ALRM} = sub { $n++ }; kill ALRM => $$ for 1..99; print $n'
gcc              | gcc     | gcc -O2 -S -o - project/one.c
gcc, failing     | gcc     | gcc -c -o /dev/null project/broken.x -x c
g++              | g++     | g++ -O1 -std=c++17 -S -o - project/sort.cc
clang            | clang   | clang -O1 -S -o - project/one.c
linker           | gcc     | gcc -o linked-$mode project/one.c project/two.c project/main.c
make -j4         | make    | make -s -B -j4 -C project
make, checked    | make    | sh -c 'make -s -B -j4 -C project && project/program'
objdump          | objdump | objdump -d linked
readelf          | readelf | readelf -aW linked
node             | node    | node -e 'console.log([3, 1, 2].sort(), JSON.stringify({ a: [1] }))'
node, workers    | node    | node workers.js
node, children   | node    | node -e 'process.stdout.write(require("child_process").execSync("seq 3"))'
java             | java    | java -cp classes Work
javac            | javac   | javac -d classes-$mode Work.java
openssl dgst     | openssl | openssl dgst -sha256 text
openssl rsa      | openssl | openssl rsa -in key.pem -noout -text
openssl sign     | openssl | openssl dgst -sha256 -sign key.pem -hex text
ssh-keygen       | ssh-keygen | ssh-keygen -lf key.pem
ssh -V           | ssh     | ssh -V
sqlite3          | sqlite3 | sqlite3 :memory: '.read work.sql'
curl --version   | curl    | curl --version
curl, a file     | curl    | curl -s file://$PWD/text
wget --version   | wget    | wget --version
vim              | vim     | vim -es -u NONE -c '%s/line/LINE/g' -c '%print' -c 'qa!' text
ed               | ed      | sh -c 'printf "1,5p\nq\n" | ed -s text'
man              | man     | man -l page.1
groff            | groff   | groff -Tascii -man page.1
mandoc           | mandoc  | mandoc -T utf8 page.1
gdb --version    | gdb     | gdb --version
gdb              | gdb     | gdb -batch -n -ex 'info functions one' linked
strace           | strace  | strace -f -o strace.out -e trace=execve dash -c 'seq 3; true'
tmux             | tmux    | tmux -V
bc               | bc      | sh -c 'echo "2^999; scale=50; e(1)" | bc -lq'
jq               | jq      | jq -c '.[] | select(.a > 1)' data.json
file             | file    | file text linked key.pem
cmake            | cmake   | cmake -P script.cmake
tclsh            | tclsh   | tclsh script.tcl
zip              | zip     | sh -c 'zip -qX - text | wc -c'
iconv            | iconv   | iconv -f utf-8 -t utf-16le text
getent           | getent  | getent passwd root
dpkg-query       | dpkg-query | dpkg-query -W libc6
timeout          | timeout | timeout 20 seq 3
nice, env        | nice    | nice -n 1 env X=1 cat text
rustc            | rustc   | rustc --print cfg
shellcheck       | shellcheck | shellcheck -s sh script.sh
END
}

# ---- what the commands work on

mkdir -p home project classes
HOME=$PWD/home
MANPAGER=cat PAGER=cat GIT_CONFIG_NOSYSTEM=1 MANROFFOPT='' COLUMNS=80 TERM=dumb TZ=UTC
export HOME MANPAGER PAGER GIT_CONFIG_NOSYSTEM MANROFFOPT COLUMNS TERM TZ
unset DISPLAY CDPATH 2>/dev/null || :
awk 'BEGIN { for (i = 1; i <= 300; i++) print (i % 3 ? "line" : "word"), i * 7919 % 1009 }' >text
awk 'BEGIN { for (i = 1; i <= 40000; i++) print i * 7919 % 40009 }' >big
sed 's/line 7/line seven/' text >text.new
diff -u text text.new >text.diff
echo '[{"a":1},{"a":2,"b":[null,true]},{"a":3.5}]' >data.json
cat >project/one.c <<'END'
#include <stdlib.h>
int compare(const void *a, const void *b) { return *(int *)a - *(int *)b; }
void one(int *p, int n) { qsort(p, n, sizeof(*p), compare); }
END
cat >project/two.c <<'END'
#include <stdlib.h>
int *two(int n) { int *p = malloc(n * sizeof(*p)); while (n--) p[n] = n * 7919 % 101; return p; }
END
cat >project/main.c <<'END'
#include <stdio.h>
#include <stdlib.h>
void one(int *p, int n);
int *two(int n);
int main(void) { int *p = two(50); one(p, 50); printf("%d %d\n", p[0], p[49]); free(p); return 0; }
END
cat >project/sort.cc <<'END'
#include <algorithm>
#include <map>
#include <string>
#include <vector>
int count(std::vector<std::string> v)
{
	std::map<std::string, int> m;
	std::sort(v.begin(), v.end());
	for (auto &s : v)
		m[s]++;
	return m.size();
}
END
printf 'int main(void) { return nothing; }\n' >project/broken.x
printf 'program: one.o two.o main.o\n\t$(CC) -o $@ $^\n' >project/makefile
cat >work.py <<'END'
import subprocess, sys, threading
def work(n):
    return sum(len(str(i) * n) for i in range(3000))
if sys.argv[1] == "plain":
    print(sorted({str(i): i for i in range(99)}), work(3))
elif sys.argv[1] == "threads":
    found = []
    threads = [threading.Thread(target=lambda n=n: found.append(work(n))) for n in range(8)]
    for t in threads: t.start()
    for t in threads: t.join()
    print(sorted(found))
elif sys.argv[1] == "forks":
    import multiprocessing
    with multiprocessing.get_context("fork").Pool(3) as pool:
        print(pool.map(work, range(12)))
else:
    print(subprocess.run(["sh", "-c", "seq 3; exit 4"], capture_output=True))
END
cat >workers.js <<'END'
const { Worker, isMainThread, parentPort } = require("worker_threads");
if (isMainThread) {
	let sum = 0, left = 3;
	for (let i = 0; i < 3; i++)
		new Worker(__filename).on("message", (n) => {
			sum += n;
			if (!--left) console.log(sum);
		});
} else {
	parentPort.postMessage(Buffer.alloc(100000, 1).reduce((a, b) => a + b));
}
END
cat >Work.java <<'END'
import java.util.*;
public class Work {
	public static void main(String[] args) throws Exception {
		Map<String, Integer> map = Collections.synchronizedMap(new TreeMap<>());
		Thread[] thread = new Thread[4];
		for (int k = 0; k < 4; k++) {
			int n = k;
			thread[k] = new Thread(() -> {
				for (int i = 0; i < 20000; i++)
					map.merge("key" + i % 7, n, Integer::sum);
			});
			thread[k].start();
		}
		for (Thread t : thread)
			t.join();
		System.out.println(map);
	}
}
END
cat >work.sql <<'END'
create table t(a integer primary key, b text);
with recursive n(i) as (select 1 union all select i + 1 from n where i < 5000)
	insert into t select i, 'row number ' || i from n;
create index u on t(b);
select count(*), sum(length(b)) from t where b like '%9%' group by a % 3;
END
cat >page.1 <<'END'
.TH PAGE 1 2020-01-01 "" ""
.SH NAME
page \- a page
.SH DESCRIPTION
.TP
\fB\-a\fR
does
.I this
END
printf 'set(x a b c)\nlist(REVERSE x)\nmessage(STATUS "${x}")\n' >script.cmake
printf 'foreach i {1 2 3} { lappend x [string repeat $i 9] }\nputs $x\n' >script.tcl
printf 'echo $1 `ls`\n' >script.sh
# Not a script that looks for one.
python=$(python3 -c 'import sys; print(sys.executable)' 2>/dev/null) || python=''
[ ! -x /usr/bin/python3 ] || python=/usr/bin/python3
python=${python:-python3}
compile "$CC" -o linked project/one.c project/two.c project/main.c
git init -q -b main repository 2>/dev/null && (
	cd repository || exit
	for i in 1 2 3 4 5 6 7 8; do
		echo "$i" >"file$i"
		git add . && git -c user.name=A -c user.email=a@example.org commit -q -m "change $i"
	done
	git gc -q
	echo changed >file1
)
openssl genrsa -out key.pem 1024 2>/dev/null
javac -d classes Work.java 2>/dev/null

# ---- what a sane report is

# Prints what is wrong with the report on stdin, as a table of recorder.sh.
# shellcheck disable=SC2016
contradictions='
{ v[$1 " " $2] = $3 }
$2 == "count" && $1 ~ /^([0-9]+-[0-9]+|large)$/ { histogram += $3 }
END {
	bytes = v["malloc bytes"] + v["realloc bytes"] + v["calloc bytes"] + v["memalign bytes"]
	calls = v["malloc calls"] + v["realloc calls"] + v["calloc calls"] + v["memalign calls"]
	if (v["heap peak"] > v["heap total"]) print "heap peak above heap total"
	if (bytes != v["heap total"]) print "rows sum to", bytes, "not to", v["heap total"]
	if (histogram != calls) print "histogram has", histogram, "of", calls, "calls"
	if (v["free bytes"] > v["heap total"]) print "more freed than allocated"
	if (v["malloc calls"] == 0) print "no malloc"
	if (v["stack peak"] == 0) print "no stack"
}'
sane() {
	is "$(awk "$report_table" report | awk "$contradictions")" "$empty" "$1: the report agrees with itself"
	[ "$empty" ] || unlike "$(cat report)" 'not recorded|not seen|nothing|lost|damaged|cannot|incomplete|missing' \
		"$1: nothing is missing"
}

check_counting() { sane "$1"; }
check_data() {
	sane "$1"
	# The second header holds the peaks, with threads more exactly than the report.
	peak=$(od -A n -t u8 -j 24 -N 8 out.dat | tr -d ' ')
	bound=$(sed -n 's/.*heap peak is exact to within \([0-9]*\) bytes.*/\1/p' report | sed 1q)
	off=$((peak - $(report_field heap peak)))
	num "${off#-}" -le "${bound:-0}" "$1: the heap peak in the file"
	num $(($(wc -c <out.dat) % 24)) -eq 0 "$1: whole records"
	is "$(od -A n -c -N 4 out.png | tr -d ' ')" '211PNG' "$1: a picture"
	ok "$1: our memusagestat reads it" memusagestat out.dat ours.png
	[ ! -x "$glibc_stat" ] || ok "$1: glibc's memusagestat reads it" "$glibc_stat" out.dat theirs.png
}
check_stacks() {
	sane "$1"
	memusageprint --summary -o again out.mur 2>print.err || fail "$1: memusageprint --summary"
	# Up to the table of places.
	sed '/^Histogram/,$d' report >report.head
	sed '/^Histogram/,$d' again >again.head
	same again.head report.head "$1: the recording gives the same summary"
	[ -z "$empty" ] || return 0
	like "$(cat report)" ' [0-9.]+%  +[0-9]+  .' "$1: it says who allocated"
	ok "$1: a massif.out" memusageprint --to=massif -o massif.out out.mur
	# Massif's snapshots need not come near the peak: it looks for one when blocks are freed.
	peak=$(sed -n 's/^mem_heap_B=//p' massif.out | sort -n | tail -n 1)
	num "${peak:-0}" -gt 0 "$1: snapshots"
	bound=$(sed -n 's/.*heap peak is exact to within \([0-9]*\) bytes.*/\1/p' report | sed 1q)
	num "${peak:-0}" -le $(($(report_field heap peak) + ${bound:-0})) "$1: none above the peak"
	ok "$1: memusageprint prints it" memusageprint massif.out
	[ ! -x /usr/bin/ms_print ] || ok "$1: ms_print prints it" ms_print massif.out
}

# ---- every line in every mode

under() {
	rm -f report out.dat out.png out.mur
	case $mode in
	counting) run memusage -o report -- "$@" ;;
	data) run memusage -o report -d out.dat -p out.png -- "$@" ;;
	stacks) run memusage -o report --top --leaks --record=out.mur -- "$@" ;;
	esac
}
programs=0
line() {
	name=$1 need=${2#-} command=$3 mode=native
	case $2 in -*) empty='no malloc
no stack' ;; *) empty='' ;; esac
	if ! command -v "$need" >/dev/null 2>&1; then
		skip "$name: no $need here"
		return
	fi
	eval "set -- $command"
	run "$@"
	mv .out native.out
	mv .err native.err
	native_status=$status
	programs=$((programs + 1))
	for mode in $modes; do
		eval "set -- $command"
		under "$@"
		same .out native.out "$name, $mode: same output"
		same .err native.err "$name, $mode: same errors"
		is "$status" "$native_status" "$name, $mode: same exit status"
		"check_$mode" "$name, $mode"
	done
}
# Descriptor 3, since the programs run here, too.
table_text=$(table)
while IFS='|' read -r name need command <&3; do
	name=${name%"${name##*[! ]}"}
	need=$(echo "$need" | tr -d ' ')
	# A command may hold the separator, a name and a program may not.
	case $name in *"${MATRIX:-}"*) eval "line \"\$name\" $need \"\${command# }\"" ;; esac
done 3<<EOF
$table_text
EOF
[ -n "${MATRIX:-}" ] || num "$programs" -ge 25 'programs were run'
diag "$programs programs, modes: $modes"
done_testing
