/* SPDX-License-Identifier: BSD-2-Clause */
#include "page/page.h"

#include <stdlib.h>

#include "base/cleanup.h"
#include "base/value.h"
#include "base/xalloc.h"
#include "catalogue/clauses.h"
#include "catalogue/finding.h"
#include "catalogue/suite.h"
#include "coverage/table.h"

/* {"GAI-NODEV": {"statement": ..., "source": ..., "area": ...}} of the clauses that @names has as keys. */
static struct value *clause_texts(const struct clauses *clauses, const struct value *names)
{
	struct value *all = value_map(), *one;
	const struct clause *c;
	size_t i;

	for (i = 0; i < names->map.count; i++) {
		c = clause_find(clauses, names->map.member[i].key);
		if (!c)
			continue;
		one = value_map();
		value_set_string(one, "statement", c->statement);
		value_set_string(one, "source", c->source);
		value_set_string(one, "area", c->area);
		value_set(all, c->id, one);
	}
	return all;
}

static struct value *finding_texts(const struct findings *findings, const struct value *names)
{
	struct value *all = value_map();
	size_t i;

	for (i = 0; i < findings->count; i++)
		if (value_get(names, findings->item[i].name))
			value_set(all, findings->item[i].name, finding_to_value(&findings->item[i]));
	return all;
}

/* {"gai": ["GAI-NODEV", ...]}: all clauses of the suite, by area. */
static struct value *areas_of(const struct clauses *clauses)
{
	struct value *areas = value_map(), *list;
	size_t i;

	for (i = 0; i < clauses->own; i++) {
		list = value_get(areas, clauses->item[i].area);
		if (!list) {
			list = value_list();
			value_set(areas, clauses->item[i].area, list);
		}
		value_append(list, value_string(clauses->item[i].id));
	}
	return areas;
}

/* [[NAME or "", [CLAUSE, ...]], ...]: without a name, these clauses have a reason why no mutant can break them. */
static struct value *mutants_of(const struct mutants *mutants)
{
	struct value *all = value_list(), *one, *ids;
	size_t i, j;

	for (i = 0; i < mutants->count; i++) {
		one = value_list();
		ids = value_list();
		for (j = 0; j < mutants->item[i].clause_count; j++)
			value_append(ids, value_string(mutants->item[i].clause[j]));
		value_append(one, value_string(mutants->item[i].name ? mutants->item[i].name : ""));
		value_append(one, ids);
		value_append(all, one);
	}
	return all;
}

static int read_suite(const char *suite, const struct value *clauses, const struct value *findings,
		      struct value *out, struct vbm_error *err)
{
	auto_free char *dir = suite ? xstrdup(suite) : NULL, *folder = NULL;
	struct clauses known = {0};
	struct findings list = {0};
	struct mutants mutants = {0};

	if (!dir && suite_default(&dir, err) < 0)
		return -err->code;
	folder = xasprintf("%s/%s", dir, SUITE_FINDINGS);
	if (clauses_load(&known, dir, err) < 0)
		return -err->code;
	value_set(out, "areas", areas_of(&known));
	if (mutants_load(&mutants, dir, NULL) == 0)
		value_set(out, "mutants", mutants_of(&mutants));
	mutants_fini(&mutants);
	if (findings_load(&list, folder, err) == 0) {
		value_set(out, "clauses", clause_texts(&known, clauses));
		value_set(out, "findings", finding_texts(&list, findings));
	}
	findings_fini(&list);
	clauses_fini(&known);
	return 0;
}

void page_texts(const char *suite, const struct value *clauses, const struct value *findings,
		struct value *out)
{
	struct vbm_error err = {0};

	value_set(out, "clauses", value_map());
	value_set(out, "findings", value_map());
	value_set(out, "areas", value_map());
	value_set(out, "mutants", value_list());
	if (read_suite(suite, clauses, findings, out, &err) < 0)
		value_set_string(out, "no_texts", err.msg);
}
