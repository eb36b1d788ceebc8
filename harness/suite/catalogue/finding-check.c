/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdlib.h>

#include "base/suggest.h"
#include "catalogue/clauses.h"
#include "catalogue/finding.h"
#include "base/diag.h"
#include "catalogue/source.h"

static void check_symptom(const struct finding_symptom *p, const struct scenario_names *names,
			struct diagnostics *diag)
{
	struct suggestion best;
	size_t i;

	/* It may mean a scenario with errors, which are reported elsewhere. */
	if (!p->scenario || names->some_invalid || scenario_names_match(names, p->scenario))
		return;
	suggest_init(&best, p->scenario);
	for (i = 0; i < names->count; i++)
		suggest_offer(&best, names->item[i].name);
	diag_add(diag, p->scenario_pos, diag_did_you_mean(suggest_best(&best)),
		 "there is no scenario '%s'", p->scenario);
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
		for (i = 0; i < f->symptom_count; i++)
			check_symptom(&f->symptom[i], names, diag);
		finding_check_width(f, names, diag);
		if (f->source)
			check_source(f, diag);
	}
	diagnostics_sort(diag);
}
