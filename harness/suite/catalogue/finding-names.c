/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/match.h"
#include "base/xalloc.h"
#include "catalogue/files.h"
#include "catalogue/finding.h"

static void add_call(struct scenario_name *n, const struct variant *v, const struct item *it)
{
	auto_free char *text = xasprintf("%s.%s", v->actors[it->actor].name, it->kind->name);
	size_t i;

	for (i = 0; i < n->calls; i++)
		if (strcmp(n->call[i].text, text) == 0)
			return;
	GROW(n->call, n->calls);
	n->call[n->calls++] = (struct scenario_call){steal(&text), it->kind};
}

/* Most steps of a round follow each other, so this looks only at the last round. */
static void add_round(struct scenario_name *n, const char *round)
{
	if (!round || (n->rounds && strcmp(n->round[n->rounds - 1], round) == 0))
		return;
	GROW(n->round, n->rounds);
	n->round[n->rounds++] = xstrdup(round);
}

static void add_variant(struct scenario_names *names, const struct variant *v)
{
	struct scenario_name *n;
	size_t i;

	GROW(names->item, names->count);
	n = &names->item[names->count++];
	*n = (struct scenario_name){.name = xstrdup(v->name), .id = xstrdup(v->id)};
	for (i = 0; i < v->item_count; i++) {
		add_call(n, v, &v->items[i]);
		add_round(n, v->items[i].origin.round);
	}
}

void scenario_names_add(struct scenario_names *names, const struct scenario *sc)
{
	size_t i;

	for (i = 0; i < sc->plan.count; i++)
		add_variant(names, &sc->plan.item[i]);
}

static bool has_scenario(const struct scenario_names *names, const char *id)
{
	size_t i;

	for (i = 0; i < names->count; i++)
		if (strcmp(names->item[i].id, id) == 0)
			return true;
	return false;
}

void scenario_names_load(struct scenario_names *names, const struct scenario_files *files)
{
	struct diagnostics diag = {0};
	size_t i;

	for (i = 0; i < files->count; i++) {
		struct scenario *sc = NULL;

		if (has_scenario(names, files->item[i].id))
			continue;
		if (scenario_file_load(&sc, &files->item[i], &diag, NULL) < 0)
			names->some_invalid = true;
		else
			scenario_names_add(names, sc);
		diagnostics_fini(&diag);
		scenario_free(sc);
	}
}

void scenario_names_fini(struct scenario_names *names)
{
	size_t i, k;

	for (i = 0; i < names->count; i++) {
		for (k = 0; k < names->item[i].calls; k++)
			free(names->item[i].call[k].text);
		for (k = 0; k < names->item[i].rounds; k++)
			free(names->item[i].round[k]);
		free(names->item[i].round);
		free(names->item[i].call);
		free(names->item[i].name);
		free(names->item[i].id);
	}
	free(names->item);
	*names = (struct scenario_names){0};
}

bool scenario_names_match(const struct scenario_names *names, const char *pattern)
{
	size_t i;

	for (i = 0; i < names->count; i++)
		if (match_name(pattern, names->item[i].name))
			return true;
	return false;
}
