#!/bin/sh
# glibc_summary.t -- program by program the same report as glibc's memusage, where that is right.
#
# The stack and "nomove" are not compared: glibc's depends on its own frames (and measures the
# stack upside down before 2.40), and its header before each block changes what can stay in
# place.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
. "$MU_SRC/tests/lib/recorder.sh"
glibc=/usr/bin/memusage
[ -x $glibc ] && grep -q libmemusage.so $glibc || skip_all 'no memusage of glibc here'

# What glibc would print: its own rows, without stack and nomove.
# shellcheck disable=SC2016
comparable='/^memusage: /d; /^memalign|/d; s/stack peak: [0-9]*/stack peak: N/
	s/nomove:[0-9]*/nomove:N/'
esc=$(printf '\033')

cat >plain.c <<'END'
#include <stdlib.h>
#include <string.h>
int main(void)
{
	char *p[100], *q;

	for (int i = 0; i < 100; i++)
		p[i] = malloc(i * i * 13 % 70000);
	for (int i = 0; i < 100; i += 3)
		p[i] = realloc(p[i], 1 + i * 17 % 9000);
	for (int i = 0; i < 100; i += 2)
		free(p[i]);
	q = calloc(20, 30);
	q = realloc(q, 0);
	q = malloc((size_t)-100000);
	q = realloc(NULL, 100);
	q = realloc(q, (size_t)-100000);
	q = calloc(1, (size_t)-100000);
	free(NULL);
	return q != NULL;
}
END
cat >maps.c <<'END'
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
int main(void)
{
	int fd = open("mapped", O_RDWR | O_CREAT, 0600);
	char *a, *b;

	if (ftruncate(fd, 1 << 20) < 0)
		return 1;
	a = mmap(NULL, 8192, PROT_READ, MAP_PRIVATE, fd, 0);
	b = mmap(NULL, 20480, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	mmap(NULL, 32768, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	b = mremap(b, 20480, 40960, MREMAP_MAYMOVE);
	b = mremap(b, 40960, 8192, 0);
	munmap(b, 8192);
	free(malloc(50));
	return a == b;
}
END
cat >libc.c <<'END'
#include <dirent.h>
#include <regex.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static int by_value(const void *a, const void *b) { return *(int *)a - *(int *)b; }
int main(void)
{
	static int numbers[100000];
	char *line = NULL, *text;
	size_t size = 0;
	regex_t regex;
	FILE *file = fopen("lines", "w+");

	for (int i = 0; i < 100; i++)
		fprintf(file, "%*d\n", i * 5 + 1, i);
	rewind(file);
	while (getline(&line, &size, file) > 0)
		;
	free(line);
	fclose(file);
	if (asprintf(&text, "%0500d", 1) > 0)
		free(strdup(text));
	for (int i = 0; i < 100000; i++)
		numbers[i] = i * 7919 % 100003;
	qsort(numbers, 100000, sizeof(int), by_value);
	if (regcomp(&regex, "^(a|b)*c+[0-9]{3,5}$", REG_EXTENDED) == 0)
		regfree(&regex);
	closedir(opendir("/"));
	hcreate(100);
	hdestroy();
	free(reallocarray(NULL, 10, 10));
	return 0;
}
END
# With DEFAULTS threads are restricted to CPUs by default: whoever copies that set allocates.
cat >threads.c <<'END'
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
static void *work(void *data)
{
	void *volatile p = malloc(1000);

	free(p);
	return data;
}
static int set_defaults(void)
{
	pthread_attr_t attr;
	cpu_set_t cpus;

	return sched_getaffinity(0, sizeof(cpus), &cpus) || pthread_attr_init(&attr) ||
	       pthread_attr_setaffinity_np(&attr, sizeof(cpus), &cpus) ||
	       pthread_setattr_default_np(&attr);
}
int main(void)
{
#ifdef DEFAULTS
	if (set_defaults())
		return 1;
#endif
	for (int i = 0; i < 20; i++) {
		pthread_t thread;

		if (pthread_create(&thread, NULL, work, NULL) || pthread_join(thread, NULL))
			return 1;
	}
	return 0;
}
END
cat >cxx.cc <<'END'
#include <map>
#include <memory>
#include <string>
#include <vector>
int main()
{
	std::map<int, std::string> map;
	std::vector<std::unique_ptr<int>> vector;

	for (int i = 0; i < 1000; i++) {
		map[i] = std::string(i % 100, 'x');
		vector.push_back(std::make_unique<int>(i));
	}
	try {
		throw 1;
	} catch (int) {
	}
	return map.size() != vector.size();
}
END
cat >empty.c <<'END'
int main(void) { return 0; }
END
ln -s threads.c defaults.c
for program in plain maps libc threads defaults empty; do
	define=-UDEFAULTS
	[ $program != defaults ] || define=-DDEFAULTS
	compile "${CC:-cc}" -D_GNU_SOURCE "$define" -O0 -w -fno-builtin -pthread -o $program $program.c
done

# compare TEXT OPTIONS -- CMD...
compare() {
	compare_text=$1 compare_options=$2
	shift 3
	# shellcheck disable=SC2086
	$glibc --no-timer $compare_options "$@" >/dev/null 2>theirs
	# shellcheck disable=SC2086
	memusage -o ours --color=always $compare_options "$@" >/dev/null 2>&1
	sed "$comparable" theirs >theirs.txt
	sed -e "s/^memalign/&/" -e "$comparable" ours | grep -v "^${esc}\[00;34mmemalign" >ours.txt
	same ours.txt theirs.txt "$compare_text: the same report"
}
compare 'an empty program' '' -- ./empty
compare 'malloc, realloc, calloc, free' '' -- ./plain
compare 'with rows for mmap' -m -- ./plain
compare 'what libc asks for itself' '' -- ./libc
if compiled "${CXX:-c++}" -O1 -o cxx cxx.cc; then
	compare 'C++' '' -- ./cxx
fi

# With threads our peak is exact to within a stated bound; glibc takes the munmap of what it never
# counted from the heap: see docs/compat.md.
# shellcheck disable=SC2034
comparable="$comparable
	s/heap peak: [0-9]*/heap peak: N/"
compare 'threads, one after another' '' -- ./threads
like "$(cat ours)" '^memusage: 2 threads: heap peak is exact to within 8192 bytes' 'the bound'
ok 'a program that changes the defaults of threads' ./defaults
compare 'threads with the defaults changed' '' -- ./defaults
compare 'mmap, mremap, munmap' -m -- ./maps
done_testing
