/* recorder_instructions.c -- the page of a counter is read as the kernel says.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "libmemusage/tables/instructions.h"

#include <linux/perf_event.h>
#include <string.h>

#include "tests/lib/tap.h"

static struct perf_event_mmap_page page;
static uint64_t hardware;
static uint32_t asked, times, disturb;

/* The kernel puts the thread on another counter while it is read. */
static uint64_t read_counter(uint32_t number)
{
	asked = number;
	times++;
	if (disturb) {
		disturb--;
		page.lock += 2;
		page.index = 5;
		page.offset = 7000;
		return 999999;
	}
	return hardware;
}

static uint64_t read_page(void)
{
	times = 0;
	return instructions_read(&page, read_counter);
}

static void test_not_on_the_cpu(void)
{
	page = (struct perf_event_mmap_page){ .offset = 1234 };
	EQ_U(read_page(), 1234);
	EQ_U(times, 0);
}

/* rdpmc would fault. */
static void test_forbidden(void)
{
	page = (struct perf_event_mmap_page){ .offset = 1234, .index = 3, .pmc_width = 48 };
	EQ_U(read_page(), 1234);
	EQ_U(times, 0);
}

static void test_counter(void)
{
	page = (struct perf_event_mmap_page){ .offset = 1000, .index = 3, .cap_user_rdpmc = 1,
					      .pmc_width = 48 };
	hardware = 234;
	EQ_U(read_page(), 1234);
	EQ_U(asked, 2);
	EQ_U(times, 1);
}

/* It starts below zero, so that it overflows in time: 48 bits of -100. */
static void test_negative(void)
{
	page = (struct perf_event_mmap_page){ .offset = 1000, .index = 1, .cap_user_rdpmc = 1,
					      .pmc_width = 48 };
	hardware = (UINT64_C(1) << 48) - 100;
	EQ_U(read_page(), 900);
	page.pmc_width = 64;
	hardware = -UINT64_C(100);
	EQ_U(read_page(), 900);
}

/* Bits above its width are not the counter's. */
static void test_width(void)
{
	page = (struct perf_event_mmap_page){ .offset = 0, .index = 1, .cap_user_rdpmc = 1,
					      .pmc_width = 40 };
	hardware = UINT64_C(0xffff) << 48 | 55;
	EQ_U(read_page(), 55);
}

static void test_changed_meanwhile(void)
{
	page = (struct perf_event_mmap_page){ .offset = 1, .index = 2, .cap_user_rdpmc = 1,
					      .pmc_width = 48 };
	hardware = 50;
	disturb = 2;
	EQ_U(read_page(), 7050);
	EQ_U(times, 3);
	EQ_U(asked, 4);
}

int main(void)
{
	test_not_on_the_cpu();
	test_forbidden();
	test_counter();
	test_negative();
	test_width();
	test_changed_meanwhile();
	return done_testing();
}
