/* httpload.c -- asks a web server on loopback for the same thing many times, at a fixed rate, and
 * counts the answers that are missing or wrong.
 *
 *	httpload PORT PATH LENGTH CONNECTIONS REQUESTS RATE [COURSE]
 *
 * Each connection is kept and used for one request at a time; RATE is requests per second in all,
 * 0 as fast as possible. LENGTH is that of the right answer's body. COURSE is a file for lines
 * `NS COUNT`: how many had been answered then (CLOCK_REALTIME), every 10 ms. Prints
 *
 *	requests=N answered=N lost=N seconds=S
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <arpa/inet.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { CONNECTIONS_MAX = 256 };

static struct sockaddr_in server = { .sin_family = AF_INET };
static char question[512];
static size_t question_length;
static unsigned long body, share;
static double interval;		/* between two requests of a connection, seconds */

struct client {
	pthread_t thread;
	double first;		/* when to begin */
	unsigned long answered, lost;
};

static struct client client[CONNECTIONS_MAX];
static FILE *course;

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void sleep_until(double when)
{
	struct timespec t = { .tv_sec = (time_t)when };

	t.tv_nsec = (long)((when - (double)t.tv_sec) * 1e9);
	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL);
}

static int connect_server(void)
{
	const struct timeval patience = { 10, 0 };
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	if (fd >= 0 && connect(fd, (struct sockaddr *)&server, sizeof(server)) < 0) {
		close(fd);
		return -1;
	}
	return fd;
}

/* Reads one answer. Returns whether it is whole and right. */
static bool read_answer(int fd)
{
	char text[65536];
	size_t used = 0;
	const char *end = NULL;

	while (!end) {
		ssize_t n = recv(fd, text + used, sizeof(text) - 1 - used, 0);

		if (n <= 0)
			return false;
		used += (size_t)n;
		text[used] = '\0';
		end = strstr(text, "\r\n\r\n");
		if (!end && used == sizeof(text) - 1)
			return false;
	}
	if (strncmp(text, "HTTP/1.1 200 ", 13) != 0)
		return false;
	used -= (size_t)(end + 4 - text);
	while (used < body) {
		ssize_t n = recv(fd, text, sizeof(text), 0);

		if (n <= 0)
			return false;
		used += (size_t)n;
	}
	return used == body;
}

static void *serve(void *data)
{
	struct client *c = data;
	double next = c->first;
	int fd = connect_server();

	for (unsigned long i = 0; i < share; i++) {
		if (interval > 0)
			sleep_until(next += interval);
		if (fd >= 0 && send(fd, question, question_length, MSG_NOSIGNAL) ==
				       (ssize_t)question_length && read_answer(fd)) {
			__atomic_fetch_add(&c->answered, 1, __ATOMIC_RELAXED);
			continue;
		}
		c->lost++;
		if (fd >= 0)
			close(fd);
		fd = connect_server();
	}
	if (fd >= 0)
		close(fd);
	return NULL;
}

static void *tell(void *unused)
{
	(void)unused;
	for (;;) {
		unsigned long answered = 0;
		struct timespec t;

		for (int i = 0; i < CONNECTIONS_MAX; i++)
			answered += __atomic_load_n(&client[i].answered, __ATOMIC_RELAXED);
		clock_gettime(CLOCK_REALTIME, &t);
		fprintf(course, "%ld%09ld %lu\n", (long)t.tv_sec, t.tv_nsec, answered);
		usleep(10000);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	unsigned long answered = 0, lost = 0, connections, rate;
	double start = now();
	pthread_t teller;

	if (argc != 7 && argc != 8)
		return 2;
	connections = strtoul(argv[4], NULL, 10);
	rate = strtoul(argv[6], NULL, 10);
	if (connections == 0 || connections > CONNECTIONS_MAX)
		return 2;
	server.sin_port = htons((uint16_t)strtoul(argv[1], NULL, 10));
	server.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	question_length = (size_t)snprintf(question, sizeof(question),
					   "GET %s HTTP/1.1\r\nHost: localhost\r\n\r\n", argv[2]);
	body = strtoul(argv[3], NULL, 10);
	share = strtoul(argv[5], NULL, 10) / connections;
	interval = rate ? (double)connections / (double)rate : 0;
	course = argc > 7 ? fopen(argv[7], "w") : NULL;
	if (argc > 7 && (!course || pthread_create(&teller, NULL, tell, NULL) != 0))
		return 2;
	for (unsigned long i = 0; i < connections; i++) {
		client[i].first = start + interval * (double)i / (double)connections;
		pthread_create(&client[i].thread, NULL, serve, &client[i]);
	}
	for (unsigned long i = 0; i < connections; i++) {
		pthread_join(client[i].thread, NULL);
		answered += client[i].answered;
		lost += client[i].lost;
	}
	printf("requests=%lu answered=%lu lost=%lu seconds=%.1f\n", share * connections, answered,
	       lost, now() - start);
	return lost > 0;
}
