/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_EXECUTE_PACKETS_H
#define VBM_EXECUTE_PACKETS_H

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
};

struct packets {
	bool on;
	struct frames frames;
	int64_t *began;		/* owned; when each step began */
	size_t steps;
	struct packet_note *note;	/* owned; what see_packet saw, in order */
	size_t notes;
};

/* Nothing is done for a variant that does not look at packets. */
int packets_begin(struct packets *p, const struct execution *x, struct vbm_error *err);
void packets_step(struct packets *p, const struct execution *x, const struct call *call);

/* Emits them if the variant has failed, or if the job wants those of each variant. */
void packets_tell(struct packets *p, struct execution *x);
void packets_end(struct packets *p);

#endif
