/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdlib.h>

#include "base/suggest.h"
#include "base/xalloc.h"
#include "catalogue/clauses.h"
#include "catalogue/deviation.h"
#include "base/diag.h"
#include "catalogue/files.h"

void scenario_names_make(struct scenario_names *names, const struct scenario_files *files)
{
	struct diagnostics diag = {0};
	struct scenario *sc;
	size_t i, k;

	*names = (struct scenario_names){0};
	for (i = 0; i < files->count; i++) {
		if (scenario_load(&sc, &files->item[i], &diag, NULL) < 0) {
			names->some_invalid = true;
			diagnostics_fini(&diag);
			continue;
		}
		diagnostics_fini(&diag);
		for (k = 0; k < sc->plan.count; k++) {
			GROW(names->item, names->count);
			names->item[names->count++] = xstrdup(sc->plan.item[k].name);
		}
		scenario_free(sc);
	}
}

void scenario_names_fini(struct scenario_names *names)
{
	size_t i;

	for (i = 0; i < names->count; i++)
		free(names->item[i]);
	free(names->item);
	*names = (struct scenario_names){0};
}

bool deviation_names_any(const struct deviation *d, const struct scenario_names *names)
{
	size_t i;

	for (i = 0; i < names->count; i++)
		if (deviation_names(d, names->item[i]))
			return true;
	return false;
}

static void check_scenario(const struct deviation *d, const struct scenario_names *names,
			   struct diagnostics *diag)
{
	struct suggestion best;
	size_t i;

	/* The entry may mean a scenario that does not compile; that is reported elsewhere. */
	if (names->some_invalid || deviation_names_any(d, names))
		return;
	suggest_init(&best, d->scenario);
	for (i = 0; i < names->count; i++)
		suggest_offer(&best, names->item[i]);
	diag_add(diag, d->scenario_pos, diag_did_you_mean(suggest_best(&best)),
		 "no scenario is called '%s'", d->scenario);
}

void deviations_check(const struct deviations *d, const struct clauses *clauses,
		      const struct scenario_names *names, struct diagnostics *diag)
{
	size_t i;

	for (i = 0; i < d->count; i++) {
		if (!d->item[i].clause && clauses->required)
			diag_add(diag, d->item[i].pos, NULL, "a deviation of this suite needs "
				 "'clause:'");
		if (d->item[i].clause && clauses->count)
			clauses_check_one(clauses, d->item[i].clause, d->item[i].clause_pos, diag);
		if (d->item[i].scenario)
			check_scenario(&d->item[i], names, diag);
	}
	diagnostics_sort(diag);
}
