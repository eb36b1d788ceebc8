/* SPDX-License-Identifier: BSD-2-Clause */
#include "page/page.h"

#include <stdlib.h>

#include "base/cleanup.h"
#include "base/value.h"
#include "base/xalloc.h"
#include "catalogue/clauses.h"
#include "catalogue/finding.h"
#include "catalogue/suite.h"

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

static int read_suite(const char *suite, const struct value *clauses, const struct value *findings,
		      struct value *out, struct vbm_error *err)
{
	auto_free char *dir = suite ? xstrdup(suite) : NULL, *folder = NULL;
	struct clauses known = {0};
	struct findings list = {0};

	if (!dir && suite_default(&dir, err) < 0)
		return -err->code;
	folder = xasprintf("%s/%s", dir, SUITE_FINDINGS);
	if (clauses_load(&known, dir, err) < 0)
		return -err->code;
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
	if (read_suite(suite, clauses, findings, out, &err) < 0)
		value_set_string(out, "no_texts", err.msg);
}
