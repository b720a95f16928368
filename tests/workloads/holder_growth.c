/* holder_growth.c -- A list of a global variable grows by 101,600 bytes with each line that is read,
 * another variable keeps 500,000, and a third one loses what it has with the first line.
 *
 * Prints "ready" first, and "grown" after each line. Ends with the input.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <stdio.h>
#include <stdlib.h>

enum { ENTRIES = 100, DATA = 1000 };

struct entry {
	struct entry *next;
	void *data;
};

struct entry *list;
void *table;	 /* 500,000 bytes */
void *first_aid; /* 20,000 bytes, until the first line is read */

__attribute__((noinline)) static void append_entries(void)
{
	for (int i = 0; i < ENTRIES; i++) {
		struct entry *e = malloc(sizeof(*e));

		e->data = malloc(DATA);
		e->next = list;
		list = e;
	}
}

int main(void)
{
	char line[16];

	setvbuf(stdin, NULL, _IONBF, 0);
	setvbuf(stdout, NULL, _IONBF, 0);
	table = malloc(500000);
	first_aid = malloc(20000);
	append_entries();
	puts("ready");
	while (fgets(line, sizeof(line), stdin)) {
		append_entries();
		free(first_aid);
		first_aid = NULL;
		puts("grown");
	}
	return 0;
}
