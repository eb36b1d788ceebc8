/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_JOB_RUN_PACKETS_H
#define VBM_JOB_RUN_PACKETS_H

#include "wire/frames.h"

struct call;
struct execution;

/*
 * The packets of a variant that watches packets or has rules for them: evidence for the folder
 * of --output, for the page and for the ladder of a failure.
 */
struct packet_note {
	int host;
	int64_t line;		/* of the step */
	char *step;		/* owned; "b.see_packet" */
	char *watch;		/* owned; the watch that it names, or "" */
	char *text, *way;	/* owned; of the packet that it saw */
	size_t group;		/* the number of the step: what one step saw may have come in any order */
};

/* A rule that a step has made. */
struct packet_maker {
	int actor;
	int64_t line;
	char *step;		/* owned; "b.drop_packets" */
	bool copies;		/* lets the packet arrive, and a copy */
	bool takes;		/* the packet does not go on, or later */
};

struct packets {
	bool on;
	bool unsure;		/* a rule may have made a packet one that is not counted */
	struct frames frames;
	int64_t *began;		/* owned; when each step began */
	size_t steps;
	struct packet_note *note;	/* owned; what see_packet and see_packets saw, step by step */
	size_t notes;
	struct packet_maker *maker;	/* owned; the rules, in order */
	size_t makers;
};

/* Nothing is done for a variant that does not look at packets. */
int packets_begin(struct packets *p, const struct execution *x, struct vbm_error *err);

/* If the packets that hosts sent, that rules took away and that arrived do not add up, the verdict is ERROR. */
void packets_judge(struct packets *p, struct execution *x);
void packets_step(struct packets *p, const struct execution *x, const struct call *call);

/* Emits them if the variant has failed, or if the job wants those of each variant. */
void packets_tell(struct packets *p, struct execution *x);
void packets_end(struct packets *p);

/*
 * The packets for one host. Pure. The interface of the sender has sent @sent, rules of the receiver have taken @taken of
 * them away and have put @again back, and the receiver's interface has shown @received. The faults of the cable
 * (--loss, --delay, --rate) act before the sender's interface shows a packet, so they change no sum.
 */
struct packet_sums {
	uint64_t sent, received;
	int64_t taken, again;
};

/* The sentence about the host @name if the numbers do not add up; NULL if they do. The caller frees it. */
char *packets_mistake(const struct packet_sums *s, const char *name);

#endif
