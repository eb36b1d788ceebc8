/* SPDX-License-Identifier: BSD-2-Clause */
#include "catalogue/finding.h"

#include <dirent.h>
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/diag.h"
#include "base/match.h"
#include "base/number.h"
#include "base/suggest.h"
#include "base/xalloc.h"
#include "base/yaml.h"
#include "catalogue/files.h"
#include "catalogue/finding-upstream.h"
#include "lib/base/fail.h"
#include "names/device-types.h"
#include "step/step.h"

/* The keys of a map that are texts, and the members that store them. */
struct text_key {
	const char *key;
	size_t offset;
	bool required;
	size_t pos_offset;	/* 0: the position is not stored */
};

#define KEY(key, type, member, required, pos) \
	{key, offsetof(struct type, member), required, pos}
#define POS(type, member) offsetof(struct type, member)

static const struct text_key entry_keys[] = {
	KEY("finding", finding, name, true, 0),
	KEY("kind", finding, kind_name, false, POS(finding, kind_pos)),
	KEY("layer", finding, layer, false, 0),
	KEY("severity", finding, severity_name, false, POS(finding, severity_pos)),
	KEY("source", finding, source, false, POS(finding, source_pos)),
	KEY("what", finding, what, true, 0),
	KEY("expected", finding, expected, false, 0),
	KEY("got", finding, got, false, 0),
	KEY("measured", finding, measured, true, 0),
	KEY("inferred", finding, inferred, false, 0),
	KEY("cause", finding, cause, false, 0),
	KEY("reported", finding, reported, false, 0),
	{0},
};

static const struct text_key symptom_keys[] = {
	KEY("scenario", finding_symptom, scenario, true, POS(finding_symptom, scenario_pos)),
	KEY("step", finding_symptom, step, false, POS(finding_symptom, step_pos)),
	KEY("field", finding_symptom, field, false, POS(finding_symptom, field_pos)),
	KEY("complaint", finding_symptom, complaint, false, POS(finding_symptom, complaint_pos)),
	KEY("got", finding_symptom, got, false, 0),
	KEY("round", finding_symptom, round, false, POS(finding_symptom, round_pos)),
	{0},
};

const char *const finding_kinds[FINDING_KINDS] = {
	[FINDING_BUG] = "bug",
	[FINDING_DEVIATION] = "deviation",
	[FINDING_DIFFERENCE] = "difference",
	[FINDING_DOCUMENTATION] = "documentation",
	[FINDING_OTHER] = "other",
};

const char *const finding_kind_titles[FINDING_KINDS] = {
	[FINDING_BUG] = "bug",
	[FINDING_DEVIATION] = "deviation",
	[FINDING_DIFFERENCE] = "difference",
	[FINDING_DOCUMENTATION] = "documentation bug",
	[FINDING_OTHER] = "other project",
};

const char *const finding_severities[FINDING_SEVERITIES] = {
	[FINDING_CRASH] = "crash",
	[FINDING_HANG] = "hang",
	[FINDING_WRONG_RESULT] = "wrong-result",
	[FINDING_WRONG_CODE] = "wrong-code",
	[FINDING_MINOR] = "minor",
};

static char **text_of(void *base, const struct text_key *key)
{
	return (char **)((char *)base + key->offset);
}

static void free_texts(void *base, const struct text_key *keys)
{
	for (; keys->key; keys++)
		free(*text_of(base, keys));
}

static void finding_fini(struct finding *d)
{
	size_t i;

	for (i = 0; i < d->symptom_count; i++)
		free_texts(&d->symptom[i], symptom_keys);
	free(d->symptom);
	value_free(d->clauses);
	finding_upstream_fini(d);
	free_texts(d, entry_keys);
	free(d->file);
}

/* A finding with two conditions that exclude each other never applies. */
static void keep_when(struct finding *d, const struct value *item, struct diagnostics *diag)
{
	const struct require *last = &d->when[d->when_count];

	if (require_conflicts(d->when, d->when_count))
		diag_add(diag, item->pos, NULL, "'%s' contradicts another condition "
			 "for '%s' here", item->s, last->capability->name);
	d->when_count++;
}

static void take_when(struct finding *d, const struct value *list, struct diagnostics *diag)
{
	const struct value *item;
	struct vbm_error err;
	size_t i;

	if (list->type != VALUE_LIST || list->list.count > FINDING_WHEN_MAX) {
		diag_add(diag, list->pos, NULL, "when: must be a list of at most %d conditions",
			 FINDING_WHEN_MAX);
		return;
	}
	for (i = 0; i < list->list.count; i++) {
		item = list->list.item[i];
		if (item->type != VALUE_STRING)
			diag_add(diag, item->pos, NULL, "a condition must be a text such as "
				 "'rdma_core>=44'");
		else if (require_parse(&d->when[d->when_count], item->s, &err) < 0)
			diag_add(diag, item->pos, NULL, "%s", err.msg);
		else
			keep_when(d, item, diag);
	}
}

/* Stores the texts of a map. @others: other keys that the map may have; NULL-terminated. */
static void take_text(void *base, const struct text_key *keys, const char *const *others,
		      const struct value_member *m, struct diagnostics *diag)
{
	struct suggestion s;

	suggest_init(&s, m->key);
	for (; *others; others++)
		suggest_offer(&s, *others);
	for (; keys->key; keys++) {
		suggest_offer(&s, keys->key);
		if (strcmp(m->key, keys->key) != 0)
			continue;
		if (keys->pos_offset)
			*(struct pos *)((char *)base + keys->pos_offset) = m->value->pos;
		if (m->value->type == VALUE_STRING)
			*text_of(base, keys) = xstrdup(m->value->s);
		else if (m->value->type == VALUE_INT)
			*text_of(base, keys) = value_show(m->value);
		else
			diag_add(diag, m->value->pos, NULL, "%s: must be a text", m->key);
		return;
	}
	diag_add(diag, m->pos, diag_did_you_mean(suggest_best(&s)),
		 "a finding has no key '%s' here", m->key);
}

static void miss_texts(void *base, const struct text_key *keys, const struct value *map,
		       const char *whose, struct diagnostics *diag)
{
	for (; keys->key; keys++)
		if (keys->required && !*text_of(base, keys) && !value_get(map, keys->key))
			diag_add(diag, map->pos, NULL, "%s needs '%s:'", whose, keys->key);
}

static void take_sometimes(struct finding_symptom *p, const struct value *v,
			   struct diagnostics *diag)
{
	if (v->type != VALUE_BOOL)
		diag_add(diag, v->pos, NULL, "sometimes: must be true or false");
	else
		p->sometimes = v->b;
}

/* A symptom is either a field, of one step or of any step, or a complaint, which has no step. */
static void settle_symptom(const struct finding_symptom *p, const struct value *map,
			 struct diagnostics *diag)
{
	if (!p->field && !p->complaint)
		diag_add(diag, map->pos, NULL, "an item of shown_by: needs 'field:' or "
			 "'complaint:'");
	else if (p->complaint && (p->field || p->got || p->step || p->round || p->sometimes))
		diag_add(diag, map->pos, NULL, "an item of shown_by: with 'complaint:' may "
			 "have only 'scenario:' beside it");
	else
		finding_symptom_check_width(p, diag);
}

static void take_symptom(struct finding *d, const struct value *map, struct diagnostics *diag)
{
	static const char *const others[] = {"sometimes", NULL};
	struct finding_symptom symptom = {.pos = map->pos};
	const struct value_member *m;
	size_t i;

	if (map->type != VALUE_MAP) {
		diag_add(diag, map->pos, NULL, "an item of shown_by: must be a map");
		return;
	}
	for (i = 0; i < map->map.count; i++) {
		m = &map->map.member[i];
		if (strcmp(m->key, "sometimes") == 0)
			take_sometimes(&symptom, m->value, diag);
		else
			take_text(&symptom, symptom_keys, others, m, diag);
	}
	miss_texts(&symptom, symptom_keys, map, "an item of shown_by:", diag);
	settle_symptom(&symptom, map, diag);
	GROW(d->symptom, d->symptom_count);
	d->symptom[d->symptom_count++] = symptom;
}

static void take_symptoms(struct finding *d, const struct value *list, struct diagnostics *diag)
{
	size_t i;

	if (list->type != VALUE_LIST)
		diag_add(diag, list->pos, NULL, "shown_by: must be a list");
	for (i = 0; list->type == VALUE_LIST && i < list->list.count; i++)
		take_symptom(d, list->list.item[i], diag);
}

static void take_clauses(struct finding *d, const struct value *v, struct diagnostics *diag)
{
	size_t i;

	d->clauses = v->type == VALUE_LIST ? value_dup(v) : value_list();
	if (v->type == VALUE_STRING)
		value_append(d->clauses, value_dup(v));
	for (i = 0; i < d->clauses->list.count; i++)
		if (d->clauses->list.item[i]->type != VALUE_STRING)
			break;
	if (i < d->clauses->list.count || !i) {
		diag_add(diag, v->pos, NULL, "clause: must be an id or a list of ids");
		value_free(d->clauses);
		d->clauses = NULL;
	}
}

/* The keys of a finding that are not texts. */
static const struct {
	const char *key;
	void (*take)(struct finding *d, const struct value *v, struct diagnostics *diag);
} entry_others[] = {
	{"clause", take_clauses},	{"when", take_when},
	{"shown_by", take_symptoms},	{"link", finding_take_links},
	{"fixed_by", finding_take_fix},
};

static void take_member(struct finding *d, const struct value_member *m, struct diagnostics *diag)
{
	const char *others[ARRAY_SIZE(entry_others) + 1] = {0};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(entry_others); i++) {
		others[i] = entry_others[i].key;
		if (strcmp(m->key, others[i]) == 0) {
			entry_others[i].take(d, m->value, diag);
			return;
		}
	}
	take_text(d, entry_keys, others, m, diag);
}

/* The index of @name. @otherwise is the name if @name is NULL. */
static int find_choice(const char *const *names, int count, const char *name, int otherwise,
		       const char *key, struct pos pos, struct diagnostics *diag)
{
	struct suggestion s;
	int i;

	if (!name)
		return otherwise;
	suggest_init(&s, name);
	for (i = 0; i < count; i++) {
		suggest_offer(&s, names[i]);
		if (strcmp(name, names[i]) == 0)
			return i;
	}
	diag_add(diag, pos, diag_did_you_mean(suggest_best(&s)), "there is no %s '%s'", key, name);
	return otherwise;
}

static void settle_entry(struct finding *d, const struct value *map, struct diagnostics *diag)
{
	d->kind = (enum finding_kind)find_choice(finding_kinds, FINDING_KINDS, d->kind_name,
						 FINDING_DEVIATION, "kind of finding", d->kind_pos,
						 diag);
	d->severity = (enum finding_severity)find_choice(finding_severities, FINDING_SEVERITIES,
							 d->severity_name, FINDING_WRONG_RESULT,
							 "severity", d->severity_pos, diag);
	miss_texts(d, entry_keys, map, "a finding", diag);
	finding_settle_fix(d, diag);
	if (!d->symptom_count && !value_get(map, "shown_by") && d->kind != FINDING_DOCUMENTATION &&
	    d->kind != FINDING_BUG)
		diag_add(diag, map->pos, NULL, "a finding needs 'shown_by:', unless it is a "
			 "documentation bug, or a bug whose scenario is held back");
}

static void take_entry(struct findings *list, const char *path, const struct value *map,
		       struct diagnostics *diag)
{
	struct finding d = {.file = xstrdup(path), .pos = map->pos};
	size_t i;

	if (map->type != VALUE_MAP)
		diag_add(diag, map->pos, NULL, "a finding must be a map");
	for (i = 0; map->type == VALUE_MAP && i < map->map.count; i++)
		take_member(&d, &map->map.member[i], diag);
	if (map->type == VALUE_MAP)
		settle_entry(&d, map, diag);
	for (i = 0; i < list->count; i++)
		if (d.name && list->item[i].name && !strcmp(d.name, list->item[i].name))
			diag_add(diag, map->pos, NULL, "another finding is also called '%s'",
				 d.name);
	GROW(list->item, list->count);
	list->item[list->count++] = d;
}

static void take_list(struct findings *d, const char *path, const struct value *list,
		      struct diagnostics *diag)
{
	size_t i;

	if (list->type != VALUE_LIST)
		diag_add(diag, list->pos, NULL, "findings: must be a list");
	for (i = 0; list->type == VALUE_LIST && i < list->list.count; i++)
		take_entry(d, path, list->list.item[i], diag);
}

int findings_parse(struct findings *d, const char *path, const char *text, size_t len,
		   struct diagnostics *diag)
{
	auto_value struct value *doc = yaml_read(text, len, diag);
	const struct value *list = value_get(doc, "findings"), *newest = value_get(doc, "newest");

	if (!doc)
		return -EINVAL;
	if (doc->type != VALUE_MAP || !doc->map.count ||
	    doc->map.count != (size_t)(!!list + !!newest))
		diag_add(diag, doc->pos, NULL, "a file of findings must have the key "
			 "'findings:', with a list, and may have 'newest:'");
	if (list)
		take_list(d, path, list, diag);
	if (newest)
		findings_take_newest(&d->newest, newest, diag);
	diagnostics_sort(diag);
	return diag->count ? -EINVAL : 0;
}

static int load_file(struct findings *d, const char *path, struct vbm_error *err)
{
	struct diagnostics diag = {0};
	auto_free char *text = NULL, *lines = NULL;
	size_t len;
	int rc;

	rc = scenario_file_read(path, &text, &len, err);
	if (rc < 0)
		return rc;
	rc = findings_parse(d, path, text, len, &diag);
	if (rc < 0) {
		/* A vbm_error has one line, so it takes only the first diagnostic. */
		lines = diagnostics_format(&diag, path);
		lines[strcspn(lines, "\n")] = '\0';
		vbm_fail(err, EINVAL, "%s", lines);
	}
	diagnostics_fini(&diag);
	return rc;
}

static int is_entry_file(const struct dirent *entry)
{
	return entry->d_name[0] != '.' && match_name("?*.yaml", entry->d_name);
}

int findings_load(struct findings *d, const char *dir, struct vbm_error *err)
{
	struct dirent **entry;
	int count = scandir(dir, &entry, is_entry_file, alphasort), rc = 0, i;

	if (count < 0)
		return errno == ENOENT ? 0 : vbm_fail(err, errno, "%s: %s", dir, strerror(errno));
	for (i = 0; i < count; i++) {
		auto_free char *path = xasprintf("%s/%s", dir, entry[i]->d_name);

		if (rc == 0)
			rc = load_file(d, path, err);
		free(entry[i]);
	}
	free(entry);
	return rc;
}

void findings_fini(struct findings *d)
{
	size_t i;

	for (i = 0; i < d->count; i++)
		finding_fini(&d->item[i]);
	free(d->item);
	findings_newest_fini(&d->newest);
	*d = (struct findings){0};
}

bool finding_symptom_has(const struct finding_symptom *p, const char *scenario, bool sometimes)
{
	return p->field && (sometimes || !p->sometimes) && match_name(p->scenario, scenario);
}

static bool has_field(const struct finding *d, const char *scenario, bool sometimes)
{
	size_t i;

	for (i = 0; i < d->symptom_count; i++)
		if (finding_symptom_has(&d->symptom[i], scenario, sometimes))
			return true;
	return false;
}

bool finding_names(const struct finding *d, const char *scenario)
{
	return has_field(d, scenario, false);
}

static bool layer_has(const struct finding *d, const char *device)
{
	const struct device_type *type = d->layer ? device_type_of_layer(d->layer) : NULL;

	return !type || !strcmp(type->name, device);
}

bool finding_is_of_device(const struct finding *d, const char *device)
{
	const struct facts facts = {.device = device};
	size_t i;

	for (i = 0; i < d->when_count; i++) {
		auto_free char *why = NULL;

		if (!strcmp(d->when[i].capability->name, "device") &&
		    !require_holds(&d->when[i], &facts, &why))
			return false;
	}
	return layer_has(d, device);
}

bool finding_holds(const struct finding *d, const struct facts *facts)
{
	size_t i;

	if (facts->device && !layer_has(d, facts->device))
		return false;
	for (i = 0; i < d->when_count; i++) {
		auto_free char *why = NULL;

		if (!require_holds(&d->when[i], facts, &why))
			return false;
	}
	return true;
}

bool finding_applies(const struct finding *d, const char *scenario, const struct facts *facts)
{
	return has_field(d, scenario, true) && finding_holds(d, facts);
}

/* A shell reports a signal as status 128 plus its number. */
#define DIED_FROM 128

bool finding_seen_is_death(const struct finding_seen *seen)
{
	const char *dot = strrchr(seen->step, '.');
	const struct step_kind *kind = step_find(dot ? dot + 1 : seen->step);
	const struct field *f = kind ? step_field_find(kind->fields, "signal") : NULL;
	int64_t status;

	if (!strcmp(seen->field, "death") || !strcmp(seen->field, "signal"))
		return true;
	return f && !strcmp(seen->field, "return") &&
	       number_read(seen->got, DIED_FROM, INT64_MAX, &status);
}

/* A death is excused only by its name, never by a pattern. */
static bool is_got(const struct finding_symptom *p, const char *got, bool death)
{
	if (death)
		return p->got && !strcmp(p->got, got);
	return !p->got || match_name(p->got, got);
}

static bool is_seen(const struct finding_symptom *p, const struct finding_seen *seen)
{
	return match_name(p->scenario, seen->scenario) &&
	       p->field && !strcmp(p->field, seen->field) &&
	       is_got(p, seen->got, finding_seen_is_death(seen)) &&
	       (!p->step || !strcmp(p->step, seen->step)) &&
	       (!p->round || match_name(p->round, seen->round));
}

bool finding_explains(const struct finding *d, const struct finding_seen *seen)
{
	size_t i;

	for (i = 0; i < d->symptom_count; i++)
		if (is_seen(&d->symptom[i], seen))
			return true;
	return false;
}

bool finding_foresees(const struct finding *d, const char *scenario, const struct facts *facts,
		      const char *complaint)
{
	const struct finding_symptom *p;
	size_t i;

	for (i = 0; i < d->symptom_count; i++) {
		p = &d->symptom[i];
		if (p->complaint && match_name(p->scenario, scenario) &&
		    match_name(p->complaint, complaint))
			return finding_holds(d, facts);
	}
	return false;
}
