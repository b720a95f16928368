/* touch.c -- reads and writes much, allocates some.
 *
 *	touch ROUNDS
 *
 * Each round fills an array and sums it up, walks a hash table of small nodes, some of which
 * are replaced, and copies and compares texts. Prints a sum, the same with every compiler.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS = 1 << 16, NODES = 20000, BUCKETS = 4096, TEXT = 4000 };

struct node {
	struct node *next;
	uint32_t key, uses;
	char text[24];
};

static struct node *bucket[BUCKETS];

static uint64_t sum_up(uint32_t *word, uint32_t round)
{
	uint64_t sum = 0;

	for (uint32_t i = 1; i < WORDS; i++)
		word[i] = word[i - 1] * 1664525 + i + round;
	for (uint32_t i = 0; i < WORDS; i++)
		sum += word[i] >> 7;
	return sum;
}

static uint64_t look_up(uint32_t round)
{
	uint64_t sum = 0;

	for (uint32_t key = 0; key < NODES; key++) {
		struct node **at = &bucket[key * 2654435761u >> 20];

		while (*at && (*at)->key != key)
			at = &(*at)->next;
		if (*at && (key + round) % 50 == 0) {
			struct node *gone = *at;

			*at = gone->next;
			free(gone);
		} else if (*at) {
			sum += ++(*at)->uses;
		} else {
			*at = calloc(1, sizeof(**at));
			(*at)->key = key;
			snprintf((*at)->text, sizeof((*at)->text), "node %u", key);
		}
	}
	return sum;
}

static uint64_t texts(uint32_t round)
{
	char *a = malloc(TEXT), *b = malloc(TEXT);
	uint64_t sum = 0;

	for (int i = 0; i < TEXT - 1; i++)
		a[i] = (char)('a' + (i + round) % 26);
	a[TEXT - 1] = '\0';
	strcpy(b, a);
	for (int i = 0; i < TEXT - 1; i++)
		sum += b[i] == a[TEXT - 2 - i];
	free(a);
	free(b);
	return sum;
}

int main(int argc, char **argv)
{
	uint32_t rounds = argc > 1 ? (uint32_t)atoi(argv[1]) : 100;
	uint32_t *word = calloc(WORDS, sizeof(*word));
	uint64_t sum = 0;

	for (uint32_t i = 0; i < rounds; i++)
		sum += sum_up(word, i) + look_up(i) + texts(i);
	free(word);
	printf("sum %llu\n", (unsigned long long)sum);
	return 0;
}
