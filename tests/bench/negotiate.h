/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_TESTS_BENCH_NEGOTIATE_H
#define VBM_TESTS_BENCH_NEGOTIATE_H

#include <verbatim/negotiator.h>

/* A client or a server that makes @count connections with a negotiator. */
struct negotiating {
	int count;
	int ahead;	/* so many queue pairs are handed in before the first outcome */
	struct vbm_negotiator *negotiator;
	int listener;	/* the server's */
	int *socket;	/* @count of them, of the connections */
	void (*hand_in)(const struct negotiating *e, int i);
	void *context;
};

/* Let the negotiator listen at @own. Returns where. */
struct sockaddr_storage negotiate_listen(struct negotiating *e, const struct sockaddr *own,
					 const struct vbm_listen_options *options);

/* For race(). */
void *negotiate(void *end);

#endif
