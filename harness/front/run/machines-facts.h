/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_RUN_MACHINES_FACTS_H
#define VBM_RUN_MACHINES_FACTS_H

#include "catalogue/finding.h"

struct value;

/* The facts that machines, or kernels of hosts, told about themselves. */
struct machines_facts {
	struct machine_facts *item;	/* owned; in the order of the hosts */
	size_t count;			/* 0: the hosts are none, and the facts of the run count */
};

/* Takes an event "machine". Each place of the run says the same of its machines. */
void machines_facts_take(struct machines_facts *m, const struct value *event);
void machines_facts_fini(struct machines_facts *m);

/*
 * The functions of catalogue/finding.h for facts of which those about kernel, rdma-core and device are
 * different for each machine: whether they hold for any machine, because any of them may show a finding.
 */
bool facts_hold(const struct machines_facts *m, const struct facts *run, const struct finding *d);
bool facts_apply(const struct machines_facts *m, const struct facts *run, const struct finding *d, const char *scenario);
bool facts_foresee(const struct machines_facts *m, const struct facts *run, const struct finding *d, const char *scenario,
		   const char *complaint);

/*
 * Whether the finding applies to all machines, and none may have got the fix: which host shows it is not known,
 * so it has to show only then.
 */
bool facts_all_apply(const struct machines_facts *m, const struct facts *run, const struct finding *d,
		     const char *scenario);

#endif
