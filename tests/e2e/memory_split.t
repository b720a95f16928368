#!/bin/sh
# memory_split.t -- every report but the plain summary says what the memory that the kernel sees is.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
need_bin memusage memusageprint
PATH=$WORKLOADS:$PATH

# kib PATTERN [FILE]: the figure of the line with it, in KiB
kib() {
	awk -v want="$1" 'index($0, want) { sub(/^memusage: /, "")
		unit = $2 == "GiB" ? 1048576 : $2 == "MiB" ? 1024 : $2 == "B" ? 1 / 1024 : 1
		printf "%d", $1 * unit; exit }' "${2:-report}"
}

# 36 MiB live, 16 MiB left of 20 freed in the middle of the heap
memusage -o report --top memory 32 0 20 >truth || fail 'the program fails'
like "$(cat truth)" '^heap 37748736$' 'the workload ran'
live=$(kib 'live blocks of the heap')
num "$live" -ge 36000 'live blocks are there' || cat report
num "$live" -le 37900 '... and no more'
num "$(kib 'kept by malloc')" -ge 15900 'freed blocks that malloc keeps are told apart'
num "$(kib 'of memory at most')" -ge 53000 'the whole is not less than its parts'
unlike "$(cat report)" 'outside of that' 'all blocks were touched'
like "$(cat report)" 'files: the program' 'pages of files have a line'
like "$(cat report)" "memusage's own" 'and so has what the recorder takes'

# 64 MiB that nobody touches
memusage -o report --tree memory 32 64 0 >truth
num "$(kib 'outside of that')" -ge 64000 'blocks that nobody has touched are told'
num "$(kib 'live blocks of the heap')" -le 37900 'and are not in the memory'

memusage -q --record=r.mur memory 32 64 16 >truth
memusageprint --top -o report r.mur
num "$(kib 'live blocks of the heap')" -ge 36000 'a kept recording says the same'
memusageprint --to=json -o r.json r.mur
like "$(cat r.json)" '"timeline":\[' 'as JSON does'
if command -v python3 >/dev/null; then
	ok 'which is well-formed, and adds up' python3 -c '
import json
m = json.load(open("r.json"))
s = m["memory"]
parts = ["heap", "spare", "globals", "stacks", "file", "shared", "recorder"]
assert sum(s[p] for p in parts) == s["resident"], s
t = m["timeline"]
assert len(t) >= 2 and all(a["time_ns"] <= b["time_ns"] for a, b in zip(t, t[1:]))
assert m["rss_peak"] >= 52 << 20
'
fi

memusage -o report --pages-as-heap=yes --top memory 32 0 20 >truth
num "$(kib 'pages that the program mapped')" -ge 36000 'with pages as heap its pages are named'
unlike "$(cat report)" 'live blocks of the heap|no blocks of malloc' '... as what they are'

# A mapping of a file, all of which was written to, is in the heap with -m, and in no private memory
cat >shared.c <<'END'
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	char name[] = "mapped.XXXXXX";
	int fd = mkstemp(name);
	char *block = malloc(64 << 20), *file;

	memset(block, 1, argc > 1 ? 1 << 20 : 64 << 20);
	if (fd < 0 || ftruncate(fd, 50 << 20) < 0)
		return 1;
	file = mmap(NULL, 50 << 20, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	memset(file, 1, 50 << 20);
	unlink(name);
	return file[5] != 1 || block[5] != 1;
}
END
compile "${CC:-cc}" -O1 -fno-builtin shared.c -o shared
memusage -m -o report --top ./shared
like "$(cat report)" 'heap total: 119537664, heap peak: 119537664' 'with -m a mapped file is in the heap'
num "$(kib 'files: the program')" -ge 51200 '... and its pages are those of a file'
unlike "$(cat report)" 'never written to' '... which were written to'
memusage -m -o report --top ./shared untouched
num "$(kib 'never written to')" -ge 60000 'a block that was not is told beside it'
num "$(kib 'never written to')" -le 66000 '... alone'

# A million of small blocks, of which each takes 32 bytes, and what the program maps beside them
cat >small.c <<'END'
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
int main(int argc, char **argv)
{
	const size_t mapped = (size_t)atoi(argv[2]) << 20, size = (size_t)atoi(argv[1]);

	for (int i = 0; i < 1000000; i++) {
		char *volatile block = malloc(size);

		if (size)
			block[0] = 1;
	}
	if (mapped)
		memset(mmap(NULL, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			    0), 1, mapped);
	return argc < 3;
}
END
compile "${CC:-cc}" -O1 -fno-builtin small.c -o small
for size in 0 8 25; do
	memusage -o report --top ./small "$size" 0
	like "$(cat report)" 'kept by malloc beyond them' "a million blocks of $size: their rounding is told"
	unlike "$(cat report)" 'no blocks of malloc' '... and not called mappings'
	memusage -v -o report ./small "$size" 0
	unlike "$(cat report)" 'no blocks of malloc' '... nor in a run that only counts'
done
memusage -o report --top ./small 8 64
like "$(cat report)" '^about [4-6][0-9]\.[0-9] MiB of it are no blocks of malloc' \
	'what the program mapped beside them is'

memusage -o report memory 1 1 1 >truth
unlike "$(cat report)" 'of memory at most' 'the plain summary is glibc'\''s'
memusage -v -o report memory 8 1 1 >truth
num "$(kib 'live blocks of the heap')" -ge 8000 'with --verbose it is told of counting runs too'
done_testing
