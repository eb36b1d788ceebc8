/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_JOB_JOB_H
#define VBM_JOB_JOB_H

/*
 * Runs in: the runner, in its main thread.
 * Owns:    the pool of fabrics, the reader of /dev/kmsg, the signals.
 * Ends:    with the job.
 * Tests:   unit/test_fabric_pool, test_interrupt, test_kmsg, test_state.
 */

#include <stdbool.h>
#include <stddef.h>

#include <verbatim/error.h>

#include "event/emit.h"
#include "names/device-words.h"
#include "names/host.h"

struct fabric;
struct line_reader;
struct value;

/*
 * The parts that all kinds of jobs have in common. event/sent.c has the kinds and their members. With
 * "librdmacm" the runner must have that file loaded.
 */
struct job {
	const struct value *spec;	/* borrowed */
	struct emitter *emit;
	struct device_words devices;	/* of the hosts */
	enum layout layout;		/* resolved: never LAYOUT_AUTO */
	bool any_layout;		/* it was LAYOUT_AUTO */
	struct fabric *trial;		/* owned; the fabric that was made to find the layout, until a pool takes it */
	const struct value *cable;	/* borrowed: lines "cable", the faults of cables; or NULL */
	struct line_reader *in;		/* borrowed: where the job came from */
	const char *key;		/* the key with which each further line begins; NULL: there is no key */
	int kmsg_fd;			/* the kernel messages from before its first fabric on; or -1 */
	bool broken;			/* the kernel can no longer be trusted */
	bool lost;			/* the kernel of a host is gone; the front end, which started it, says why */
};

struct job_kind {
	const char *name;
	/* Returns 0, or a negative errno with @err if there can be no fabric. */
	int (*run)(struct job *job, struct vbm_error *err);
};

/*
 * Parses a line after the job; the caller frees the result. NULL and @err if the front
 * end did not send it, or if sent_check_line() refuses it.
 */
struct value *job_line(const struct job *job, const char *line, size_t len, struct vbm_error *err);

#endif
