/* SPDX-License-Identifier: BSD-2-Clause */
#include "catalogue/deviation.h"

#include <dirent.h>
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/suggest.h"
#include "base/xalloc.h"
#include "fail.h"
#include "base/diag.h"
#include "catalogue/files.h"
#include "catalogue/match.h"
#include "base/yaml.h"

/* The keys of an entry that are texts: all but "when". */
static const struct {
	const char *key;
	size_t offset;
	bool required;
	size_t pos_offset;	/* 0: not kept */
} texts[] = {
	{"scenario", offsetof(struct deviation, scenario), true,
	 offsetof(struct deviation, scenario_pos)},
	{"clause", offsetof(struct deviation, clause), false, offsetof(struct deviation, clause_pos)},
	{"what", offsetof(struct deviation, what), true, 0},
	{"seen", offsetof(struct deviation, seen), true, 0},
	{"field", offsetof(struct deviation, field), true, 0},
	{"got", offsetof(struct deviation, got), false, 0},
};

static char **text_of(struct deviation *d, size_t i)
{
	return (char **)((char *)d + texts[i].offset);
}

static void deviation_fini(struct deviation *d)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(texts); i++)
		free(*text_of(d, i));
	free(d->file);
}

/* An entry with two conditions that exclude each other would never apply. */
static void keep_when(struct deviation *d, const struct value *item, struct diagnostics *diag)
{
	const struct require *last = &d->when[d->when_count];
	size_t i;

	for (i = 0; i < d->when_count; i++)
		if (require_excludes(&d->when[i], last))
			diag_add(diag, item->pos, NULL, "nothing meets '%s' and another condition "
				 "for '%s' here", item->s, last->capability->name);
	d->when_count++;
}

static void take_when(struct deviation *d, const struct value *list, struct diagnostics *diag)
{
	const struct value *item;
	struct vbm_error err;
	size_t i;

	if (list->type != VALUE_LIST || list->list.count > DEVIATION_WHEN_MAX) {
		diag_add(diag, list->pos, NULL, "when: is not a list of at most %d conditions",
			 DEVIATION_WHEN_MAX);
		return;
	}
	for (i = 0; i < list->list.count; i++) {
		item = list->list.item[i];
		if (item->type != VALUE_STRING)
			diag_add(diag, item->pos, NULL, "a condition is a text such as "
				 "'rdma_core>=44'");
		else if (require_parse(&d->when[d->when_count], item->s, &err) < 0)
			diag_add(diag, item->pos, NULL, "%s", err.msg);
		else
			keep_when(d, item, diag);
	}
}

static void take_member(struct deviation *d, const struct value_member *m,
			struct diagnostics *diag)
{
	struct suggestion s;
	size_t i;

	if (strcmp(m->key, "when") == 0) {
		take_when(d, m->value, diag);
		return;
	}
	suggest_init(&s, m->key);
	for (i = 0; i < ARRAY_SIZE(texts); i++) {
		suggest_offer(&s, texts[i].key);
		if (strcmp(m->key, texts[i].key) != 0)
			continue;
		if (texts[i].pos_offset)
			*(struct pos *)((char *)d + texts[i].pos_offset) = m->value->pos;
		if (m->value->type == VALUE_STRING)
			*text_of(d, i) = xstrdup(m->value->s);
		else if (m->value->type == VALUE_INT)
			*text_of(d, i) = value_show(m->value);
		else
			diag_add(diag, m->value->pos, NULL, "%s: is not a text", m->key);
		return;
	}
	diag_add(diag, m->pos, diag_did_you_mean(suggest_best(&s)),
		 "a deviation has no key '%s'", m->key);
}

static void take_entry(struct deviations *list, const char *path, const struct value *map,
		       struct diagnostics *diag)
{
	struct deviation d = {.file = xstrdup(path), .pos = map->pos};
	size_t i;

	if (map->type != VALUE_MAP)
		diag_add(diag, map->pos, NULL, "a deviation is a map");
	for (i = 0; map->type == VALUE_MAP && i < map->map.count; i++)
		take_member(&d, &map->map.member[i], diag);
	for (i = 0; map->type == VALUE_MAP && i < ARRAY_SIZE(texts); i++)
		if (texts[i].required && !*text_of(&d, i) && !value_get(map, texts[i].key))
			diag_add(diag, map->pos, NULL, "a deviation needs '%s:'", texts[i].key);
	GROW(list->item, list->count);
	list->item[list->count++] = d;
}

int deviations_parse(struct deviations *d, const char *path, const char *text, size_t len,
		     struct diagnostics *diag)
{
	auto_value struct value *doc = yaml_read(text, len, diag);
	const struct value *list = value_get(doc, "deviations");
	size_t i;

	if (!doc)
		return -EINVAL;
	if (!list || list->type != VALUE_LIST || doc->map.count != 1)
		diag_add(diag, doc->pos, NULL, "a file of deviations has one key, "
			 "'deviations:', with a list");
	else
		for (i = 0; i < list->list.count; i++)
			take_entry(d, path, list->list.item[i], diag);
	diagnostics_sort(diag);
	return diag->count ? -EINVAL : 0;
}

static int load_file(struct deviations *d, const char *path, struct vbm_error *err)
{
	struct diagnostics diag = {0};
	auto_free char *text = NULL, *lines = NULL;
	size_t len;
	int rc;

	rc = scenario_read(path, &text, &len, err);
	if (rc < 0)
		return rc;
	rc = deviations_parse(d, path, text, len, &diag);
	if (rc < 0) {
		/* Only the first diagnostic: a vbm_error is one line. */
		lines = diagnostics_format(&diag, path);
		lines[strcspn(lines, "\n")] = '\0';
		vbm_fail(err, EINVAL, "%s", lines);
	}
	diagnostics_fini(&diag);
	return rc;
}

static int is_entry_file(const struct dirent *entry)
{
	return entry->d_name[0] != '.' && name_matches("?*.yaml", entry->d_name);
}

int deviations_load(struct deviations *d, const char *dir, struct vbm_error *err)
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

void deviations_fini(struct deviations *d)
{
	size_t i;

	for (i = 0; i < d->count; i++)
		deviation_fini(&d->item[i]);
	free(d->item);
	*d = (struct deviations){0};
}

bool deviation_names(const struct deviation *d, const char *scenario)
{
	return name_matches(d->scenario, scenario);
}

bool deviation_applies(const struct deviation *d, const char *scenario,
		       const struct facts *facts)
{
	size_t i;

	for (i = 0; i < d->when_count; i++) {
		auto_free char *why = NULL;

		if (!require_holds(&d->when[i], facts, &why))
			return false;
	}
	return deviation_names(d, scenario);
}

bool deviation_explains(const struct deviation *d, const char *field, const char *got)
{
	return strcmp(d->field, field) == 0 && (!d->got || strcmp(d->got, got) == 0);
}
