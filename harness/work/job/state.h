/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_JOB_STATE_H
#define VBM_JOB_STATE_H

#include <stddef.h>
#include <stdint.h>

#include <verbatim/error.h>

struct fabric;
struct text;

/*
 * The RDMA objects and the counters of hosts, for the report of what hangs or has failed.
 */
#define STATE_COUNTERS_MAX 64

struct state_counters {
	size_t count;
	struct {
		char name[48];
		uint64_t value;
	} item[STATE_COUNTERS_MAX];
	struct vbm_error err;	/* why they cannot be read; no text if they were */
};

/* The counters of all hosts at one time. */
struct state {
	int hosts;
	struct state_counters host[];
};

/* The caller frees it with free(3). */
struct state *state_take(struct fabric *fabric);

/*
 * Adds one host: the queue pairs and rdma_cm ids that its processes have open, and the
 * counters that grew from @since to @now. @since may be NULL: since they were 0.
 */
void state_add_host(struct text *out, struct fabric *fabric, int host, const struct state *since,
		    const struct state *now);

/*
 * Pure. "sent_pkts 12, rcvd_pkts 3": the counters that grew. "" if none did.
 */
void state_add_grown(struct text *out, const struct state_counters *since,
		     const struct state_counters *now);

#endif
