/* SPDX-License-Identifier: BSD-2-Clause */
#include "catalogue/finding.h"

#include <string.h>

#include "base/text.h"
#include "base/xalloc.h"
#include "names/device-types.h"

static void set_text(struct value *m, const char *key, const char *text)
{
	if (text)
		value_set_string(m, key, text);
}

static struct value *symptoms_value(const struct finding *d)
{
	struct value *list = value_list(), *m;
	size_t i;

	for (i = 0; i < d->symptom_count; i++) {
		m = value_map();
		set_text(m, "scenario", d->symptom[i].scenario);
		set_text(m, "step", d->symptom[i].step);
		set_text(m, "field", d->symptom[i].field);
		set_text(m, "complaint", d->symptom[i].complaint);
		set_text(m, "got", d->symptom[i].got);
		set_text(m, "round", d->symptom[i].round);
		if (d->symptom[i].sometimes)
			value_set_bool(m, "sometimes", true);
		value_append(list, m);
	}
	return list;
}

static struct value *fix_value(const struct finding *d)
{
	struct value *m = value_map();

	set_text(m, "project", finding_project(d));
	set_text(m, "commit", d->fixed_by.commit);
	set_text(m, "release", d->fixed_by.release);
	return m;
}

static struct value *links_value(const struct finding *d)
{
	struct value *list = value_list();
	size_t i;

	for (i = 0; i < d->link_count; i++)
		value_append(list, value_string(d->link[i]));
	return list;
}

bool finding_is_about(const struct finding *d, const char *clause)
{
	size_t i;

	for (i = 0; d->clauses && i < d->clauses->list.count; i++)
		if (!strcmp(d->clauses->list.item[i]->s, clause))
			return true;
	return false;
}

char *finding_clauses(const struct finding *d)
{
	return value_join(d->clauses);
}

char *finding_fix_show(const struct value *m)
{
	const struct value *fix = value_get(m, "fixed_by");
	const char *release = value_get_string(fix, "release", NULL);
	const char *commit = value_get_string(fix, "commit", NULL);

	if (!fix)
		return NULL;
	return xasprintf("%s%s%s%s%s", value_get_string(fix, "project", ""), release ? " " : "",
			 release ? release : "", commit ? ", commit " : "", commit ? commit : "");
}

/* The types of devices that can have it: "siw"; "any" if all can. */
static char *devices_of(const struct finding *d)
{
	struct text names = {0};
	const char *name;
	bool all = true;
	size_t i;

	for (i = 0; (name = device_type_name(i)); i++) {
		if (finding_is_of_device(d, name))
			text_addf(&names, "%s%s", names.len ? ", " : "", name);
		else
			all = false;
	}
	if (!all && names.len)
		return names.s;
	text_fini(&names);
	return xstrdup("any");
}

struct value *finding_to_value(const struct finding *d)
{
	struct value *m = value_map(), *when = value_list();
	size_t i;

	set_text(m, "name", d->name);
	set_text(m, "file", d->file);
	value_set_int(m, "line", d->pos.line);
	set_text(m, "kind", finding_kinds[d->kind]);
	set_text(m, "title", finding_kind_titles[d->kind]);
	set_text(m, "severity", finding_severities[d->severity]);
	set_text(m, "layer", d->layer);
	value_set(m, "devices", value_string_take(devices_of(d)));
	value_set(m, "clauses", d->clauses ? value_dup(d->clauses) : value_list());
	set_text(m, "source", d->source);
	set_text(m, "what", d->what);
	set_text(m, "expected", d->expected);
	set_text(m, "got", d->got);
	set_text(m, "measured", d->measured);
	set_text(m, "inferred", d->inferred);
	set_text(m, "cause", d->cause);
	set_text(m, "reported", d->reported);
	value_set(m, "link", links_value(d));
	if (d->fixed_by.pos.line)
		value_set(m, "fixed_by", fix_value(d));
	for (i = 0; i < d->when_count; i++)
		value_append(when, value_string_take(require_show(&d->when[i])));
	value_set(m, "when", when);
	value_set(m, "shown_by", symptoms_value(d));
	return m;
}
