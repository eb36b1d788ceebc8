/* SPDX-License-Identifier: BSD-2-Clause */
/* --rerun and --shuffle: which of the selected variants run, and in which order. */
#include "run/reorder.h"

#include <stdint.h>

#include "base/cleanup.h"
#include "base/visible.h"
#include "names/exit-status.h"
#include "run/repeat.h"
#include "runs/stored.h"

/* Whether the run had the variant, and it was as expected each time. */
static bool is_settled(const struct stored_run *run, const char *name)
{
	const struct stored_variant *v = stored_find(run, name);
	bool settled = v != NULL;
	int time;

	for (time = 2; v && settled; time++) {
		auto_free char *again = repeat_name(name, time);

		settled = verdict_is_expected(v->verdict);
		v = stored_find(run, again);
	}
	return settled;
}

static bool is_open(const struct variant *v, const void *run)
{
	return !is_settled(run, v->name);
}

int reorder_rerun(struct selection *sel, const char *path)
{
	struct stored_run run;
	struct vbm_error err;
	size_t dropped;

	if (stored_read(&run, path, 0, &err) < 0) {
		visible_complain("%s", err.msg);
		return EXIT_USAGE;
	}
	dropped = selection_keep(sel, is_open, &run);
	stored_fini(&run);
	if (sel->plan.count == 0)
		visible_complain("nothing is left to run: in %s, all %zu variants were as expected", path, dropped);
	return EXIT_OK;
}

/* splitmix64: a seed gives the same order on every machine. */
static uint64_t next_random(uint64_t *state)
{
	uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

static void renumber(struct selection *sel)
{
	size_t i;

	for (i = 0; i < sel->plan.count; i++)
		sel->plan.item[i].number = i;
}

void reorder_shuffle(struct selection *sel, uint64_t seed)
{
	struct variant v, *item = sel->plan.item;
	const char *root;
	size_t i, j;

	for (i = sel->plan.count; i > 1; i--) {
		j = next_random(&seed) % i;
		v = item[i - 1];
		item[i - 1] = item[j];
		item[j] = v;
		root = sel->root_of[i - 1];
		sel->root_of[i - 1] = sel->root_of[j];
		sel->root_of[j] = root;
	}
	renumber(sel);
}
