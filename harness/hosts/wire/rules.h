/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_WIRE_RULES_H
#define VBM_WIRE_RULES_H

/*
 * Runs in: an agent or the runner in its main thread; the kernel applies the rules; a thread puts packets back.
 * Owns:    maps, program and link of BPF, kept packets; the lock is for all that the thread uses.
 * Ends:    rules_close(), or with the process.
 * Tests:   unit/test_rules, test_rule_code; tests/guest/uml-packets.test.
 */

#include <pthread.h>
#include <stddef.h>

#include <verbatim/error.h>

#include "net/bpf.h"
#include "wire/rule-code.h"

/*
 * The rules for the packets that one interface receives. The kernel applies them until
 * rules_close(), or until the process ends.
 */
struct acted_packet {
	size_t rule;
	uint64_t mark;		/* packet_mark() of the packet as it was before */
	uint8_t *bytes;		/* owned; of a packet that is kept; NULL: it is not, or was put back */
	size_t len;
};

/* A packet of @acted that goes on at this time. */
struct delayed_packet {
	int64_t due_ns;
	size_t acted;
};

struct packet_rules {
	int ifindex;
	int counts, crcs, passing, link;	/* owned; -1: not yet */
	struct packet_rule *rule;	/* owned */
	size_t count;
	struct bpf_ring ring;		/* owned; records of packets that rules acted on */
	struct acted_packet *acted;	/* owned; those that were read, in order */
	size_t acted_count;
	uint64_t again[RULES_MAX];	/* packets that were put back, for each rule */
	enum rule_action action[RULES_MAX];	/* of each rule, also of one that has ended */
	bool takes[RULES_MAX];		/* whether the packets of a rule do not arrive, unless they are put back */
	struct delayed_packet *delayed;	/* owned; by time, the next one last */
	size_t delayed_count;
	/* A thread puts copies back at once, and delayed packets at their time; the lock is for all that it uses. */
	pthread_mutex_t lock;
	pthread_t thread;
	int wake;			/* owned; an eventfd; -1: no thread */
	bool ended;			/* the thread ends */
};

/* An interface of the caller's network namespace. */
int rules_open(struct packet_rules *r, const char *interface, struct vbm_error *err);

/* Takes @rule->pattern, also on failure. The number of the rule, from 0. @seed: of its chances. */
int rules_add(struct packet_rules *r, struct packet_rule *rule, uint64_t seed, struct vbm_error *err);
int rules_end(struct packet_rules *r, size_t number, struct vbm_error *err);
int rules_counts(const struct packet_rules *r, size_t number, struct rule_counts *counts, struct vbm_error *err);

/*
 * Puts the packets back that the rule has kept, in their order or the last one first. Their number; -ENOBUFS if the rule
 * acted on more packets than there was room for.
 */
int rules_release(struct packet_rules *r, size_t number, bool reversed, struct vbm_error *err);

/* How many packets did not arrive because of rules, and how many were put back. @r->acted has all of them then. */
int rules_sums(struct packet_rules *r, uint64_t *taken, uint64_t *again, struct vbm_error *err);

void rules_close(struct packet_rules *r);

struct value;

/* A rule out of the parameters of such a step. The caller frees it with rule_free(), unless rules_add() has taken it. */
int rule_read(struct packet_rule *rule, const char *step, const struct value *args, struct vbm_error *err);

void rule_free(struct packet_rule *rule);

/* The seed of its chances, which is drawn if the parameters have none; 0 without chances. */
uint64_t rule_seed(const struct packet_rule *rule, const struct value *args);

#endif
