/* SPDX-License-Identifier: BSD-2-Clause */
#include "run/machines-facts.h"

#include <stdlib.h>

#include "base/xalloc.h"
#include "event/read.h"
#include "names/host.h"

struct machine_facts {
	char *kernel, *rdma_core, *device;	/* owned */
};

static void store_text(char **text, const struct value *event, const char *member)
{
	free(*text);
	*text = xstrdup(event_string(event, member));
}

/* A driver that no finding names excuses nothing. */
void machines_facts_take(struct machines_facts *m, const struct value *event)
{
	int host = host_number(event_string(event, "host"));
	struct machine_facts *f;

	if (host < 0 || (size_t)host > m->count)
		return;
	if ((size_t)host == m->count) {
		GROW(m->item, m->count);
		m->item[m->count++] = (struct machine_facts){0};
	}
	f = &m->item[host];
	store_text(&f->kernel, event, "kernel");
	store_text(&f->rdma_core, event, "rdma_core");
	store_text(&f->device, event, "driver");
}

void machines_facts_fini(struct machines_facts *m)
{
	size_t i;

	for (i = 0; i < m->count; i++) {
		free(m->item[i].kernel);
		free(m->item[i].rdma_core);
		free(m->item[i].device);
	}
	free(m->item);
	*m = (struct machines_facts){0};
}

/* Without machines there is one set of facts, that of the run. */
static size_t sets(const struct machines_facts *m)
{
	return m->count ? m->count : 1;
}

/* A machine without an RDMA device makes no call, so no finding is about it. */
static bool counts(const struct machines_facts *m, size_t i)
{
	return !m->count || *m->item[i].device;
}

static struct facts set_facts(const struct machines_facts *m, const struct facts *run, size_t i)
{
	struct facts facts = *run;

	if (m->count) {
		facts.kernel = m->item[i].kernel;
		facts.rdma_core = m->item[i].rdma_core;
		facts.device = m->item[i].device;
	}
	return facts;
}

static bool answer(enum facts_question question, const struct facts *facts, const struct finding *d, const char *scenario,
		   const char *complaint)
{
	switch (question) {
	case FACTS_HOLD:
		return finding_holds(d, facts);
	case FACTS_APPLY:
		return finding_applies(d, scenario, facts);
	case FACTS_FORESEE:
		return finding_foresees(d, scenario, facts, complaint);
	case FACTS_ALL_APPLY:
		return finding_applies(d, scenario, facts) && !finding_may_be_fixed(d, facts);
	}
	return false;
}

bool facts_ask(const struct machines_facts *m, const struct facts *run, enum facts_question question,
	       const struct finding *d, const char *scenario, const char *complaint)
{
	const bool all = question == FACTS_ALL_APPLY;
	struct facts facts;
	size_t i;

	for (i = 0; i < sets(m); i++) {
		facts = set_facts(m, run, i);
		if (counts(m, i) && answer(question, &facts, d, scenario, complaint) != all)
			return !all;
	}
	return all;
}
