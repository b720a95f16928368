#!/bin/sh
# mapped_strangers.t -- processes with tens of thousands of mappings, of which none is the recorder's,
# do not delay a run: they are looked at once, and not at each look for users of ended slots.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
need_bin memusage
need_recorder
need seq

# Each second page is another mapping, as far as the kernel allows.
cat >mapped.c <<'END'
#define _GNU_SOURCE
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>
enum { PAGE = 4096, PAGES = 60000 };
int main(void)
{
	char *memory = mmap(NULL, (size_t)PAGES * PAGE, PROT_READ,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	int i = 0;
	if (memory == MAP_FAILED)
		return 1;
	while (i < PAGES && mprotect(memory + (size_t)i * PAGE, PAGE, PROT_NONE) == 0)
		i += 2;
	puts("ready");
	fflush(stdout);
	return getchar() == EOF ? 0 : 1;
}
END
compile "${CC:-cc}" -w -o mapped mapped.c
cat >programs <<'END'
i=0
while [ $i -lt 200 ]; do
	/bin/true
	i=$((i + 1))
done
END

# took_ms COMMAND...: how long it takes
took_ms() {
	tap_start=$(date +%s%N)
	"$@" >/dev/null 2>&1
	echo $((($(date +%s%N) - tap_start) / 1000000))
}
alone=$(took_ms memusage -o report sh programs)
mkfifo go
: >ready
for _ in $(seq 16); do
	./mapped <go >>ready &
done
exec 3>go
until_true eval '[ "$(wc -l <ready)" = 16 ]'
beside=$(took_ms memusage -o report sh programs)
exec 3>&-
wait
diag "200 programs: $alone ms alone, $beside ms beside 16 processes with 60,000 mappings"
# Three times as long, and 40 times before they were remembered: a look took longer than that.
num "$beside" -le $((8 * alone + 2000)) 'a run beside them takes not much longer'
like "$(cat report)" 'more processes' '... and all is recorded'
done_testing
