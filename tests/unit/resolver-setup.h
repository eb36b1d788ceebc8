/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_TESTS_RESOLVER_SETUP_H
#define VBM_TESTS_RESOLVER_SETUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/types.h>

#include "lib/resolve/databases.h"

struct wrong_dns;

/*
 * An environment for the resolver of a test: a directory with files, a real name server
 * (unbound) on a port of its own, and a wrong name server that gives answers which no real
 * server gives.
 */
struct world {
	char dir[64];
	char path[5][96];
	struct gai_config cfg;
	pid_t unbound;
	int log;
	struct wrong_dns *wrong;	/* owned; NULL without world_serve_wrong() */
	int late;		/* number of answers that came too late */
};

void world_open(struct world *w);
void world_close(struct world *w);

/* Write "hosts", "services" or "resolv.conf". */
void world_file(struct world *w, const char *name, const char *text);

/*
 * Write entry @index of the GID table of the only RDMA device in the test's sysfs: an IPv4
 * address, or NULL for an empty entry, and the name of its interface.
 */
void world_gid(struct world *w, int index, const char *ip4, const char *interface);

/*
 * Set the time that the resolver waits for a name server, and for a path service
 * (cfg.acm_ms). The default is 30 s, because a busy machine may need that long. A test
 * with a server that never answers sets a shorter time.
 */
void world_patience(struct world *w, int seconds);

/*
 * True when a call ended with @code EAI_AGAIN, because on a busy machine an answer can
 * come later than world_patience() allows; the caller then makes the call again. True at
 * most ten times.
 */
bool world_answer_was_late(struct world *w, int code);

/* From now on until world_close() the name server is a wrong one. */
void world_serve_wrong(struct world *w, int delay_ms);

/* False when the machine has no unbound. */
bool world_serve(struct world *w);

/*
 * Start a wrong name server, over UDP. The first label of the question decides: "rcN" gets
 * response code N, "drop" no answer, "half" no data for A and SERVFAIL for AAAA, "hush" no
 * data for A and no answer for AAAA, "lean" an address for A and SERVFAIL for AAAA, "junk"
 * meaningless bytes, "once" SERVFAIL until wrong_dns_recover(). Every other name gets
 * 192.0.2.1 for A and no data for AAAA. Answers leave delay_ms after the question.
 */
struct wrong_dns *wrong_dns_start(int delay_ms);

/* The same at another address than 127.0.0.1, with a free port of that address. */
struct wrong_dns *wrong_dns_start_at(const struct sockaddr *sa, socklen_t len, int delay_ms);
uint16_t wrong_dns_port(const struct wrong_dns *l);
unsigned int wrong_dns_questions(struct wrong_dns *l);
unsigned int wrong_dns_last_port(struct wrong_dns *l);	/* the port of the last question */
void wrong_dns_recover(struct wrong_dns *l);
void wrong_dns_stop(struct wrong_dns *l);

/* A free UDP and TCP port of the loopback. */
uint16_t free_port(void);

#endif
