/* SPDX-License-Identifier: BSD-2-Clause */
#include "coverage/mutants.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "base/xalloc.h"
#include "lib/base/fail.h"

#define HEADER "mutant\tclauses\ttarget\tscenario\tfield\tbroken"
#define CELLS 6

static void take_clauses(struct mutant *m, char *list)
{
	char *id;

	while ((id = strsep(&list, ","))) {
		GROW(m->clause, m->clause_count);
		m->clause[m->clause_count++] = id;
	}
}

static int take_line(struct mutants *out, char *line, int number, struct vbm_error *err)
{
	struct mutant m = {0};
	char *cell[CELLS];
	size_t i;

	for (i = 0; i < CELLS; i++)
		cell[i] = strsep(&line, "\t");
	if (!cell[CELLS - 1] || line)
		return vbm_fail(err, EINVAL, "mutants.tsv:%d: the line does not have %d cells",
				number, CELLS);
	m.name = strcmp(cell[0], "-") != 0 ? cell[0] : NULL;
	take_clauses(&m, cell[1]);
	GROW(out->item, out->count);
	out->item[out->count++] = m;
	return 0;
}

int mutants_parse(struct mutants *out, char *text, struct vbm_error *err)
{
	char *rest = text, *line;
	int n = 0, rc = 0;

	*out = (struct mutants){.text = text};
	while (rc == 0 && (line = strsep(&rest, "\n"))) {
		n++;
		if (n == 1 && strcmp(line, HEADER) != 0)
			rc = vbm_fail(err, EINVAL, "mutants.tsv:1: not the header: mutant, "
				      "clauses, target, scenario, field, broken");
		else if (n > 1 && *line)
			rc = take_line(out, line, n, err);
	}
	if (rc < 0)
		mutants_fini(out);
	return rc;
}

int mutants_load(struct mutants *out, const char *dir, struct vbm_error *err)
{
	auto_free char *path = xasprintf("%s/mutants.tsv", dir), *text = NULL;
	struct vbm_error why;

	*out = (struct mutants){0};
	text = text_of_file(path, &why);
	if (!text && why.code == ENOENT)
		return 0;
	if (!text)
		return vbm_fail(err, why.code, "%s", why.msg);
	return mutants_parse(out, steal(&text), err);
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
