/* SPDX-License-Identifier: BSD-2-Clause */
#include "coverage/mutants.h"

#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "coverage/table.h"

static void take_clauses(struct mutant *m, char *list)
{
	char *id;

	while ((id = strsep(&list, ","))) {
		GROW(m->clause, m->clause_count);
		m->clause[m->clause_count++] = id;
	}
}

static int take_line(void *arg, char *const *cell, int number, struct vbm_error *err)
{
	struct mutants *out = arg;
	struct mutant m = {.name = strcmp(cell[0], "-") != 0 ? cell[0] : NULL};

	(void)number;
	(void)err;
	take_clauses(&m, cell[1]);
	GROW(out->item, out->count);
	out->item[out->count++] = m;
	return 0;
}

static const struct table_format format = {
	"mutants.tsv", {"mutant", "clauses", "target", "scenario", "field", "how", "broken"}, take_line,
};

static int mutants_parse(struct mutants *out, char *text, struct vbm_error *err)
{
	int rc;

	*out = (struct mutants){.text = text};
	rc = table_parse(&format, text, out, err);
	if (rc < 0)
		mutants_fini(out);
	return rc;
}

int mutants_load(struct mutants *out, const char *dir, struct vbm_error *err)
{
	char *text;
	int rc = table_load(&format, dir, &text, err);

	*out = (struct mutants){0};
	return text ? mutants_parse(out, text, err) : rc;
}

void mutants_fini(struct mutants *mutants)
{
	size_t i;

	for (i = 0; i < mutants->count; i++)
		free(mutants->item[i].clause);
	free(mutants->item);
	free(mutants->text);
	*mutants = (struct mutants){0};
}

bool mutant_is_about(const struct mutant *m, const char *clause)
{
	size_t i;

	for (i = 0; i < m->clause_count; i++)
		if (!strcmp(m->clause[i], clause))
			return true;
	return false;
}
