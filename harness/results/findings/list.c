/* SPDX-License-Identifier: BSD-2-Clause */
#include "findings/list.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/value.h"
#include "base/xalloc.h"
#include "catalogue/finding.h"
#include "names/device-types.h"

/* From the program downwards. All other layers come last. */
static const char *const layers[] = {
	"librdmacm", "libibverbs", "librxe", "libsiw", "rdma_cm", "ib_core", "ib_uverbs", "rdma_rxe", "siw",
};

/* An entry while the list is sorted, and the part of the list it belongs to. */
struct listed {
	const struct finding *finding;
	enum findings_part part;
};

static size_t rank_of(const char *layer)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(layers); i++)
		if (layer && !strcmp(layer, layers[i]))
			break;
	return i;
}

static int by_layer(const struct finding *a, const struct finding *b)
{
	size_t ra = rank_of(a->layer), rb = rank_of(b->layer);

	if (ra != rb)
		return ra < rb ? -1 : 1;
	return strcmp(a->layer ? a->layer : "~", b->layer ? b->layer : "~");
}

/* Bugs are sorted by severity, then by layer from the kernel up; all others by layer first. */
static int by_part_layer_and_severity(const void *pa, const void *pb)
{
	const struct listed *la = pa, *lb = pb;
	const struct finding *a = la->finding, *b = lb->finding;
	int severities = (a->severity > b->severity) - (a->severity < b->severity);
	int where = by_layer(a, b);

	if (la->part != lb->part)
		return la->part < lb->part ? -1 : 1;
	if (la->part == FINDINGS_BUGS && severities)
		return severities;
	if (la->part == FINDINGS_BUGS)
		where = -where;
	if (where)
		return where;
	return severities ? severities : strcmp(a->name, b->name);
}

static enum findings_part part_of(const struct survey *s, const struct finding *d)
{
	if (finding_is_history(d, &s->findings.newest))
		return FINDINGS_FIXED;
	if (d->kind == FINDING_BUG)
		return FINDINGS_BUGS;
	if (d->kind == FINDING_DOCUMENTATION)
		return FINDINGS_PAGES;
	return d->kind == FINDING_OTHER ? FINDINGS_OTHERS : FINDINGS_STACK;
}

const char *const findings_parts[FINDINGS_PARTS] = {
	[FINDINGS_BUGS] = "bugs",
	[FINDINGS_STACK] = "stack",
	[FINDINGS_PAGES] = "documentation",
	[FINDINGS_OTHERS] = "other projects",
	[FINDINGS_FIXED] = "fixed upstream",
};

static bool fits(const char *wanted, const char *is)
{
	return !wanted || (is && !strcmp(wanted, is));
}

bool findings_list_has(const struct value *list, const char *name)
{
	size_t i;

	for (i = 0; i < list->list.count; i++)
		if (!strcmp(value_get_string(list->list.item[i], "name", ""), name))
			return true;
	return false;
}

static bool is_wanted(const struct finding *d, const struct findings_wanted *w)
{
	bool named = !w->names;
	size_t i;

	for (i = 0; i < w->names; i++)
		named |= !strcmp(w->name[i], d->name);
	if (w->device && !finding_is_of_device(d, w->device))
		return false;
	return named && fits(w->layer, d->layer) && fits(w->kind, finding_kinds[d->kind]) &&
	       fits(w->severity, finding_severities[d->severity]);
}

static struct value *promises(const struct survey *s, const struct finding *d)
{
	struct value *list = value_list(), *m;
	const struct clause *c;
	size_t i;

	for (i = 0; d->clauses && i < d->clauses->list.count; i++) {
		c = clause_find(&s->clauses, d->clauses->list.item[i]->s);
		if (!c)
			continue;
		m = value_map();
		value_set_string(m, "clause", c->id);
		value_set_string(m, "statement", c->statement);
		value_set_string(m, "source", c->source);
		value_append(list, m);
	}
	return list;
}

/* "rdma_getaddrinfo(3) / RETURN VALUE" -> "man 3 rdma_getaddrinfo" */
static char *page_command(const char *source)
{
	size_t name = source ? strcspn(source, "( ") : 0;

	if (!name || source[name] != '(')
		return NULL;
	return xasprintf("man %.*s %.*s", (int)strcspn(source + name + 1, ")"), source + name + 1,
			 (int)name, source);
}

/* The option for a run that shows it, with a blank behind it; "" if the default devices have it. */
static char *device_option(const struct finding *d)
{
	const char *name;
	size_t i;

	for (i = 0; (name = device_type_name(i)); i++)
		if (finding_is_of_device(d, name))
			return i ? xasprintf("--device %s ", name) : xstrdup("");
	return xstrdup("");
}

/* A pattern without stars is an id or a name for "run"; with stars it is a filter. */
static char *command_of(const struct finding *d)
{
	auto_free char *device = device_option(d);
	const char *scenario, *mark;

	if (!d->symptom_count)
		return page_command(d->source);
	/* A run may miss a failure that comes only sometimes. */
	if (d->symptom[0].complaint || d->symptom[0].sometimes)
		return NULL;
	scenario = d->symptom[0].scenario;
	if (strpbrk(scenario, "*?"))
		return xasprintf("verbatim run %s--filter '%s'", device, scenario);
	mark = strchr(scenario, '[') ? "'" : "";
	return xasprintf("verbatim run %s%s%s%s", device, mark, scenario, mark);
}

static struct value *entry(const struct survey *s, const struct listed *l)
{
	struct value *m = finding_to_value(l->finding);
	char *command = command_of(l->finding);

	value_set_string(m, "part", findings_parts[l->part]);
	value_set(m, "promises", promises(s, l->finding));
	if (command)
		value_set(m, "command", value_string_take(command));
	return m;
}

bool findings_have_layer(const struct survey *s, const char *layer)
{
	size_t i;

	for (i = 0; i < s->findings.count; i++)
		if (fits(layer, s->findings.item[i].layer))
			return true;
	return false;
}

struct value *findings_list(const struct survey *s, const struct findings_wanted *wanted)
{
	auto_free struct listed *sorted = xcalloc(s->findings.count + 1, sizeof(*sorted));
	struct value *list = value_list();
	const struct finding *d;
	size_t i, count = 0;

	for (i = 0; i < s->findings.count; i++) {
		d = &s->findings.item[i];
		if (is_wanted(d, wanted))
			sorted[count++] = (struct listed){d, part_of(s, d)};
	}
	qsort(sorted, count, sizeof(*sorted), by_part_layer_and_severity);
	for (i = 0; i < count; i++)
		value_append(list, entry(s, &sorted[i]));
	return list;
}

const char *findings_layer(const struct value *m)
{
	const char *layer = value_get_string(m, "layer", "");

	return *layer ? layer : "no layer";
}

bool findings_is_in(const struct value *m, enum findings_part part)
{
	return !strcmp(value_get_string(m, "part", ""), findings_parts[part]);
}

static size_t count_of(const struct value *list, enum findings_part part)
{
	size_t i, count = 0;

	for (i = 0; i < list->list.count; i++)
		count += findings_is_in(list->list.item[i], part);
	return count;
}

/* The groups that reports count. Fixed findings and those of other projects are counted apart. */
static const struct {
	enum findings_part part;
	const char *one, *many;
} counted[] = {
	{FINDINGS_BUGS, "bug", "bugs"},
	{FINDINGS_STACK, "deviation or difference", "deviations and differences"},
	{FINDINGS_PAGES, "documentation bug", "documentation bugs"},
	{FINDINGS_OTHERS, "of another project", "of other projects"},
	{FINDINGS_FIXED, "fixed upstream", "fixed upstream"},
};

void findings_put_counts(FILE *f, const struct value *list)
{
	const char *before = ": ";
	size_t i, n;

	fprintf(f, "%zu finding%s", list->list.count, list->list.count == 1 ? "" : "s");
	for (i = 0; i < ARRAY_SIZE(counted); i++) {
		n = count_of(list, counted[i].part);
		if (!n)
			continue;
		fprintf(f, "%s%zu %s", before, n, n == 1 ? counted[i].one : counted[i].many);
		before = ", ";
	}
}
