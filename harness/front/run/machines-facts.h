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

/* The questions of catalogue/finding.h to facts. */
enum facts_question {
	FACTS_HOLD,		/* finding_holds() */
	FACTS_APPLY,		/* finding_applies() */
	FACTS_FORESEE,		/* finding_foresees() */
	FACTS_ALL_APPLY,	/* finding_applies() and not finding_may_be_fixed() */
};

/*
 * The answer for facts of which those about kernel, rdma-core and device are different for each machine: true if it
 * is for any machine, because any of them may show a finding. FACTS_ALL_APPLY has to be true for all: which host
 * shows the finding is not known, so it has to show only then.
 */
bool facts_ask(const struct machines_facts *m, const struct facts *run, enum facts_question question,
	       const struct finding *d, const char *scenario, const char *complaint);

#endif
