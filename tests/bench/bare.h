/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_TESTS_BENCH_BARE_H
#define VBM_TESTS_BENCH_BARE_H

#include <netinet/in.h>

/*
 * The bare calls of a handshake, which every library needs: the document's steps, with
 * blocking sockets. An end has @count connections, @at_once of them under way at a time.
 */
struct bare_end {
	int count, at_once;
	int listener;			/* the server's */
	struct sockaddr_in server;	/* the client's */
	int *socket;			/* @count of them */
	void (*move)(void *context, int i);	/* a queue pair, to RTS; or NULL */
	void *context;
};

/* A listener at @own, at any port, for @server; @client learns where it is. */
void bare_listen(struct bare_end *server, struct bare_end *client, const struct sockaddr_in *own);

/* For race(). */
void *bare_accept(void *end);
void *bare_dial(void *end);

#endif
