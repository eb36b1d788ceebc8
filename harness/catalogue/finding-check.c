/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdlib.h>

#include "base/match.h"
#include "base/suggest.h"
#include "base/xalloc.h"
#include "catalogue/clauses.h"
#include "catalogue/finding.h"
#include "base/diag.h"
#include "catalogue/files.h"
#include "catalogue/source.h"

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

bool scenario_names_match(const struct scenario_names *names, const char *pattern)
{
	size_t i;

	for (i = 0; i < names->count; i++)
		if (name_matches(pattern, names->item[i]))
			return true;
	return false;
}

static void check_place(const struct finding_place *p, const struct scenario_names *names,
			struct diagnostics *diag)
{
	struct suggestion best;
	size_t i;

	/* It may mean a scenario that does not compile; that is reported elsewhere. */
	if (!p->scenario || names->some_invalid || scenario_names_match(names, p->scenario))
		return;
	suggest_init(&best, p->scenario);
	for (i = 0; i < names->count; i++)
		suggest_offer(&best, names->item[i]);
	diag_add(diag, p->scenario_pos, diag_did_you_mean(suggest_best(&best)),
		 "no scenario is called '%s'", p->scenario);
}

static void check_source(const struct finding *d, struct diagnostics *diag)
{
	struct sources s auto_sources = {0};
	struct vbm_error err;

	if (sources_parse(&s, d->source, NULL, &err) < 0)
		diag_add(diag, d->source_pos, NULL, "source: %s", err.msg);
}

void findings_check(const struct findings *d, const struct clauses *clauses,
		    const struct scenario_names *names, struct diagnostics *diag)
{
	const struct finding *f;
	const struct value *id;
	size_t i, n;

	for (n = 0; n < d->count; n++) {
		f = &d->item[n];
		if (!f->clauses && !f->source && clauses->required)
			diag_add(diag, f->pos, NULL, "a finding of this suite needs 'clause:' or "
				 "'source:'");
		for (i = 0; f->clauses && clauses->count && i < f->clauses->list.count; i++) {
			id = f->clauses->list.item[i];
			clauses_check_one(clauses, id->s, id->pos, diag);
		}
		for (i = 0; i < f->place_count; i++)
			check_place(&f->place[i], names, diag);
		if (f->source)
			check_source(f, diag);
	}
	diagnostics_sort(diag);
}
