/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

void die(const char *what)
{
	fprintf(stderr, "%s: %s: %s\n", program_invocation_short_name, what, strerror(errno));
	exit(1);
}

double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

double race(void *(*serve)(void *), void *server, void *(*dial)(void *), void *client)
{
	double began = seconds();
	pthread_t thread;

	errno = pthread_create(&thread, NULL, serve, server);
	if (errno)
		die("a thread");
	dial(client);
	pthread_join(thread, NULL);
	return seconds() - began;
}
