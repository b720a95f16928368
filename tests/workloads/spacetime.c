/* spacetime.c -- memory held for a while, in shapes whose bytes x time is known: printed at the end.
 *
 *	spacetime constant|ramp|step|burst|early|churn [at-once]
 *
 * early: a thousand blocks of each kind, then nothing. churn: what was held goes, something else of the
 * same size comes, again and again. at-once: begin in the first millisecond of the process. late: how
 * much longer the pauses took than they should, in percent of all the time: the machine is busy.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { ADMIN = 8, MOST = 4000 };

static double total, part[2];	/* bytes x ms: of all with ADMIN bytes per block; by function */
static double held[2], blocks, last, late; /* late: ms that pauses took longer than asked for */
static void *block[MOST];
static int count;

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1e3 + t.tv_nsec / 1e6;
}

static void account(int who, double bytes)
{
	double at = now();

	total += (held[0] + held[1] + blocks * ADMIN) * (at - last);
	part[0] += held[0] * (at - last);
	part[1] += held[1] * (at - last);
	last = at;
	held[who] += bytes;
	blocks += bytes > 0 ? 1 : -1;
}

__attribute__((noinline)) static void first(size_t bytes)
{
	block[count++] = malloc(bytes);
	account(0, bytes);
}

__attribute__((noinline)) static void second(size_t bytes)
{
	block[count++] = malloc(bytes);
	account(1, bytes);
}

static void pause_ms(int ms)
{
	struct timespec t = { ms / 1000, ms % 1000 * 1000000L };
	double start = now();

	nanosleep(&t, NULL);
	late += now() - start - ms;
}

static void drop(int who, size_t bytes)
{
	free(block[--count]);
	account(who, -(double)bytes);
}

static void churn(void)
{
	for (int i = 0; i < 10; i++) {
		for (int k = 0; k < 200; k++)
			first(1000);
		pause_ms(120);
		while (count > 0)
			drop(0, 1000);
		for (int k = 0; k < 200; k++)
			second(1000);
		pause_ms(40);
		while (count > 0)
			drop(1, 1000);
	}
}

int main(int argc, char **argv)
{
	const char *shape = argc > 1 ? argv[1] : "constant";
	double start;
	char text[200];

	if (argc <= 2)
		pause_ms(20);
	last = start = now();
	late = 0;
	if (strcmp(shape, "constant") == 0) {
		first(300000);
		second(100000);
		pause_ms(900);
	} else if (strcmp(shape, "ramp") == 0) {
		for (int i = 0; i < 300; i++) {
			first(20000);
			second(10000);
			pause_ms(4);
		}
	} else if (strcmp(shape, "step") == 0) {
		first(1000000);
		pause_ms(700);
		second(3000000);
		pause_ms(700);
		drop(1, 3000000);
		pause_ms(400);
	} else if (strcmp(shape, "burst") == 0) {
		for (int i = 0; i < 1000; i++)
			first(1000);
		pause_ms(800);
		for (int i = 0; i < 1000; i++)
			second(2000);
		pause_ms(800);
	} else if (strcmp(shape, "early") == 0) {
		for (int i = 0; i < 1000; i++) {
			first(1000);
			second(3000);
		}
		pause_ms(900);
	} else if (strcmp(shape, "churn") == 0) {
		churn();
	} else {
		return 1;
	}
	account(0, 0);
	snprintf(text, sizeof(text), "total=%.0f first=%.1f second=%.1f late=%.2f\n", total,
		 100 * part[0] / total, 100 * part[1] / total, 100 * late / (last - start));
	write(1, text, strlen(text));
	return 0;
}
