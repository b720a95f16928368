/* page_states.c -- the state of our own pages: touched, read only, untouched and given back, by both
 * ways of asking the kernel.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/examine/page_states.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "profile/pages/page_census.h"
#include "tests/lib/tap.h"

enum { PAGES = 5000, TOUCHED = 3, READ = 7, GIVEN_BACK = 11, LAST = PAGES - 1 };

static uint8_t *memory;
static uint64_t page, start, end;

/* More pages than are asked for at once. Huge pages would touch the neighbours. */
static void prepare_memory(void)
{
	page = (uint64_t)sysconf(_SC_PAGESIZE);
	memory = mmap(NULL, PAGES * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		      0);
	madvise(memory, PAGES * page, MADV_NOHUGEPAGE);
	start = (uint64_t)(uintptr_t)memory;
	end = start + PAGES * page;
	memory[TOUCHED * page] = 1;
	memory[LAST * page] = 1;
	memory[GIVEN_BACK * page] = 1;
	madvise(memory + GIVEN_BACK * page, page, MADV_DONTNEED);
	*(volatile uint8_t *)(memory + READ * page);
}

static uint64_t count_states(const uint8_t *state, uint8_t wanted)
{
	uint64_t count = 0;

	for (uint64_t i = 0; i < PAGES; i++)
		count += state[i] == wanted;
	return count;
}

/* The pages of MEMORY in the kernel's own sum. A read touches the page of zeros, which is not in it;
 * but there are kernels that give a read a page of its own (seen: 6.18 of a virtual machine). */
static uint64_t pages_in_sum(void)
{
	FILE *maps = fopen("/proc/self/smaps", "re");
	char line[512];
	unsigned long long low, high, kib, sum = 0;
	bool is_inside = false;

	while (maps && fgets(line, sizeof(line), maps)) {
		if (sscanf(line, "%llx-%llx ", &low, &high) == 2)
			is_inside = low < end && high > start;
		else if (is_inside && sscanf(line, "Rss: %llu kB", &kib) == 1)
			sum += kib * 1024;
	}
	if (maps)
		fclose(maps);
	return sum / page;
}

static void test_file(int pagemap)
{
	static uint8_t state[PAGES];

	memset(state, 0xff, sizeof(state));
	IS_TRUE(page_states_read(pagemap, start, end, state));
	EQ_U(state[TOUCHED], PAGE_RESIDENT);
	EQ_U(state[LAST], PAGE_RESIDENT);
	EQ_U(state[GIVEN_BACK], 0);
	EQ_U(state[0], 0);
	/* A page of zeros is in the file, but not in the kernel's sum. */
	EQ_U(count_states(state, PAGE_RESIDENT), 3);
	EQ_U(count_states(state, 0), PAGES - 3);
}

static void test_scan(int pagemap)
{
	static uint8_t state[PAGES];
	const uint64_t in_sum = pages_in_sum();

	memset(state, 0xff, sizeof(state));
	IS_TRUE(in_sum == 2 || in_sum == 3);
	if (!page_states_scan(pagemap, start, end, state)) {
		skip("this kernel has no PAGEMAP_SCAN");
		return;
	}
	EQ_U(state[TOUCHED], PAGE_RESIDENT);
	EQ_U(state[LAST], PAGE_RESIDENT);
	if (in_sum == 2)
		EQ_U(state[READ], 0);
	else
		skip("this kernel gives a read a page of its own, not that of zeros");
	EQ_U(count_states(state, PAGE_RESIDENT), in_sum);
	EQ_U(count_states(state, 0), PAGES - in_sum);
	EQ_U(page_states_count(pagemap, start, end), in_sum * page);
}

static void test_nothing(void)
{
	static uint8_t state[PAGES];
	int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);

	IS_FALSE(page_states_read(fd, start, end, state));
	IS_FALSE(page_states_scan(fd, start, end, state));
	EQ_U(page_states_count(fd, start, end), UINT64_MAX);
	close(fd);
}

int main(void)
{
	int pagemap = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);

	prepare_memory();
	test_file(pagemap);
	test_scan(pagemap);
	test_nothing();
	close(pagemap);
	return done_testing();
}
