/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_TESTS_RESOLVER_SETUP_H
#define VBM_TESTS_RESOLVER_SETUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/types.h>

#include "lib/resolve/databases.h"

struct liar;

/*
 * A world for the resolver of a test: files of its own in a directory of its
 * own, a real name server (unbound) on a port of its own, and, for what no
 * honest server says, a liar.
 */
struct world {
	char dir[64];
	char path[5][96];
	struct gai_config cfg;
	pid_t unbound;
	int log;
	struct liar *liar;	/* owned; NULL without world_lie() */
	int late;		/* answers that came too late */
};

void world_open(struct world *w);
void world_close(struct world *w);

/* Write "hosts", "services" or "resolv.conf". */
void world_file(struct world *w, const char *name, const char *text);

/*
 * Entry @index of the GID table of the only RDMA device, made up in the world's
 * sysfs: an IPv4 address, or NULL for a hole, and the name of its interface.
 */
void world_gid(struct world *w, int index, const char *ip4, const char *interface);

/*
 * How long the world waits for a name server: 30 s, as a busy machine may need,
 * until told otherwise, by a test with a server that never answers. So it does for
 * a path service, with cfg.acm_ms.
 */
void world_patience(struct world *w, int seconds);

/*
 * True when a call ended with @code EAI_AGAIN, as on a busy machine an answer can come later
 * than world_patience() allows; the caller makes the call again. Ten times at most.
 */
bool world_answer_was_late(struct world *w, int code);

/* A liar is the name server of the world, from here to world_close(). */
void world_lie(struct world *w, int delay_ms);

/* False when the machine has no unbound. */
bool world_serve(struct world *w);

/*
 * Speaks DNS over UDP. By the first label of the question: "rcN" answers with
 * response code N, "drop" not at all, "half" no data to A and SERVFAIL to
 * AAAA, "hush" no data to A and nothing to AAAA, "lean" an address to A and
 * SERVFAIL to AAAA, "junk" bytes that make no sense, "once" SERVFAIL until
 * liar_tell_truth(), everything else 192.0.2.1 to A and no data to AAAA.
 * Answers leave delay_ms after the question.
 */
struct liar *liar_start(int delay_ms);

/* The same at an address other than 127.0.0.1, with a free port of it. */
struct liar *liar_start_at(const struct sockaddr *sa, socklen_t len, int delay_ms);
uint16_t liar_port(const struct liar *l);
unsigned int liar_questions(struct liar *l);
unsigned int liar_last_port(struct liar *l);	/* where a question came from */
void liar_tell_truth(struct liar *l);
void liar_stop(struct liar *l);

/* A free UDP and TCP port of the loopback. */
uint16_t free_port(void);

#endif
