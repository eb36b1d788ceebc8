/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_RUN_MACHINES_CHOICE_H
#define VBM_RUN_MACHINES_CHOICE_H

#include "catalogue/finding.h"
#include "lane/kernel-words.h"
#include "run/run.h"

struct plan;
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

struct machines_choice {
	struct value *list;	/* owned; NULL: the run makes its hosts */
	const char *kernel[KERNELS_HOSTS];	/* borrowed from @list; NULL: the default */
};

/*
 * Takes the machines of --hosts, or those of a --kernel that names a kernel for each host, and gives the lane
 * its options for them. @out has to live as long as the lane. -EINVAL: the file or the words are wrong, or
 * another option cannot be combined with these machines.
 */
int machines_choose(struct machines_choice *out, const struct run_options *opts, struct lane_options *lane,
		    struct vbm_error *err);

/*
 * The kernels for hosts a and b that all variants of the plan want by "fabric: {kernel: ...}", in the words of
 * --kernel: "a=6.12,b=7.3". The caller frees it. NULL: the plan is empty, one of them wants none, or they want
 * different ones. Pure.
 */
char *plan_kernels(const struct plan *plan);

/*
 * Afterwards, and only if no option says what the hosts are: takes the kernels that all scenarios of @plan want, if they
 * are in the store. If they are not, the run is as any other, and skips these scenarios for their conditions.
 */
void machines_of_plan(struct machines_choice *out, const struct run_options *opts, const struct plan *plan,
		      struct lane_options *lane);

#endif
