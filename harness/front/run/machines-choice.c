/* SPDX-License-Identifier: BSD-2-Clause */
#include "run/machines-choice.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "base/value.h"
#include "base/xalloc.h"
#include "event/read.h"
#include "lane/kernel-words.h"
#include "lib/base/fail.h"
#include "machines/hosts-file.h"
#include "names/host.h"
#include "plan/plan.h"
#include "rdma-build/target-choice.h"
#include "worker/lane-choice.h"

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

/* The rooms machines/ and lane/ know nothing of each other. */
_Static_assert(MACHINES_KERNELS == KERNELS_HOSTS, "a hosts file has as many kernels as a place");

static int check_machines(const struct run_options *opts, struct vbm_error *err)
{
	const struct given_option senseless[] = {{"--jobs", opts->jobs > 1}, {"--over", opts->over}, {NULL, false}};

	if (lane_choice_check_machines(opts->hosts, &opts->choice, senseless, err) < 0)
		return -err->code;
	if (!target_is_named(opts->target))
		return vbm_fail(err, EINVAL, "with --hosts the target is the rdma-core of each machine, so --target takes a name, "
				"not '%s'", opts->target);
	return 0;
}

static int check_kernels(const struct run_options *opts, struct vbm_error *err)
{
	const struct lane_choice *w = &opts->choice;
	const struct given_option senseless[] = {
		{"--kernel", opts->hosts && w->kernel},
		{"--layout", strcmp(w->layout, "auto") != 0},
		{"--loss, --delay or --rate", w->cables},
		{NULL, false},
	};
	const char *option = lane_choice_first(senseless);

	return option ? vbm_fail(err, EINVAL, "%s cannot be used when each host has its own kernel", option) : 0;
}

/* The same list as from a hosts file. A host without a word has the default kernel. */
static int from_words(const char *text, struct value **out, struct vbm_error *err)
{
	struct kernel_words words;
	struct value *machine;
	char name[8];
	int ret = kernel_words_read(&words, text, err), i;

	if (ret < 0)
		return ret;
	*out = value_list();
	for (i = 0; i < KERNELS_HOSTS; i++) {
		machine = value_map();
		host_name(i, name);
		value_set_string(machine, "name", name);
		value_set_string(machine, "kernel", words.name[i] ? words.name[i] : "");
		value_append(*out, machine);
	}
	kernel_words_fini(&words);
	return 0;
}

static int read_list(const struct run_options *opts, struct value **out, struct vbm_error *err)
{
	const char *kernel = opts->choice.kernel;

	*out = NULL;
	if (opts->hosts)
		return machines_read_any(opts->hosts, out, err);
	return kernel && kernel_words_are(kernel) ? from_words(kernel, out, err) : 0;
}

static void take_kernels(struct machines_choice *out, struct lane_options *lane)
{
	const char *name;
	size_t i;

	for (i = 0; i < KERNELS_HOSTS; i++) {
		name = value_get_string(out->list->list.item[i], "kernel", "");
		out->kernel[i] = *name ? name : NULL;
	}
	lane->kernels = out->kernel;
	lane->kernel = NULL;
}

int machines_choose(struct machines_choice *out, const struct run_options *opts, struct lane_options *lane,
		    struct vbm_error *err)
{
	int ret = read_list(opts, &out->list, err);

	if (ret < 0)
		return ret;
	if ((opts->may_disturb || opts->may_configure) && (!out->list || machines_are_kernels(out->list)))
		return vbm_fail(err, EINVAL, "%s needs --hosts FILE: without it this run makes its own hosts",
				opts->may_disturb ? "--may-disturb" : "--may-configure");
	if (!out->list)
		return 0;
	if (!machines_are_kernels(out->list)) {
		lane->machines = true;
		return check_machines(opts, err);
	}
	take_kernels(out, lane);
	return check_kernels(opts, err);
}

static const char wants[] = "kernel_";

/* "kernel_a=6.12" and "kernel_b=7.3" as "a=6.12,b=7.3"; "" if there is neither. */
static char *of_variant(const struct variant *v)
{
	struct text text = {0};
	const char *need;
	size_t i;

	text_add(&text, "");
	for (i = 0; i < v->needs->list.count; i++) {
		need = v->needs->list.item[i]->s;
		if (strncmp(need, wants, sizeof(wants) - 1) == 0 && need[sizeof(wants)] == '=')
			text_addf(&text, "%s%s", text.len ? "," : "", need + sizeof(wants) - 1);
	}
	return text.s;
}

char *plan_kernels(const struct plan *plan)
{
	char *first = plan->count ? of_variant(&plan->item[0]) : NULL;
	bool same = first && *first;
	size_t i;

	for (i = 1; same && i < plan->count; i++) {
		char *other = of_variant(&plan->item[i]);

		same = strcmp(other, first) == 0;
		free(other);
	}
	if (same)
		return first;
	free(first);
	return NULL;
}

void machines_of_plan(struct machines_choice *out, const struct run_options *opts, const struct plan *plan,
		      struct lane_options *lane)
{
	const struct lane_options before = *lane;
	struct run_options o = *opts;
	auto_free char *words = plan_kernels(plan);
	const struct lane_ops *ops;
	struct vbm_error err;

	if (!words || o.hosts || o.choice.kernel)
		return;
	o.choice.kernel = words;
	if (machines_choose(out, &o, lane, &err) == 0 && lane_choose(o.choice.lane, lane, &ops, &err) == 0)
		return;
	*lane = before;
	value_free(out->list);
	*out = (struct machines_choice){0};
}
