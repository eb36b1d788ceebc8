/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/json.h"
#include "base/value.h"
#include "base/xalloc.h"
#include "findings/list.h"

/* {"text": ...}, as SARIF has all its texts. */
static struct value *message(const char *text)
{
	struct value *m = value_map();

	value_set_string(m, "text", text);
	return m;
}

/* The promise that the finding breaks; else the finding is its own rule. */
static const struct value *promise_of(const struct value *finding)
{
	const struct value *list = value_get(finding, "promises");

	return list && list->type == VALUE_LIST && list->list.count ? list->list.item[0] : NULL;
}

static const char *rule_of(const struct value *finding)
{
	const struct value *promise = promise_of(finding);

	return promise ? value_text(promise, "clause") : value_text(finding, "name");
}

static bool has_rule(const struct value *rules, const char *id)
{
	size_t i;

	for (i = 0; i < rules->list.count; i++)
		if (!strcmp(value_text(rules->list.item[i], "id"), id))
			return true;
	return false;
}

static void add_rule(struct value *rules, const struct value *finding)
{
	const struct value *promise = promise_of(finding);
	struct value *rule;

	if (has_rule(rules, rule_of(finding)))
		return;
	rule = value_map();
	value_set_string(rule, "id", rule_of(finding));
	value_set(rule, "shortDescription", message(promise ? value_text(promise, "statement") : value_text(finding, "what")));
	if (promise)
		value_set(rule, "help", message(value_text(promise, "source")));
	value_append(rules, rule);
}

static const char *level_of(const struct value *finding)
{
	static const struct {
		const char *severity, *level;
	} levels[] = {
		{"crash", "error"}, {"hang", "error"}, {"wrong-result", "error"},
		{"wrong-code", "warning"}, {"minor", "note"},
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(levels); i++)
		if (!strcmp(levels[i].severity, value_text(finding, "severity")))
			return levels[i].level;
	return "warning";
}

/* Where the finding is written down, from the folder of its suite. */
static struct value *locations_of(const struct value *finding)
{
	struct value *list = value_list(), *location = value_map(), *physical = value_map();
	struct value *artifact = value_map(), *region = value_map();

	value_set_string(artifact, "uri", value_text(finding, "file"));
	value_set_int(region, "startLine", value_get_int(finding, "line", 1));
	value_set(physical, "artifactLocation", artifact);
	value_set(physical, "region", region);
	value_set(location, "physicalLocation", physical);
	value_append(list, location);
	return list;
}

static struct value *result_of(const struct value *finding)
{
	struct value *r = value_map(), *prints = value_map(), *properties = value_map();
	auto_free char *text = xasprintf("%s (%s)", value_text(finding, "what"), value_text(finding, "name"));

	value_set_string(r, "ruleId", rule_of(finding));
	value_set_string(r, "kind", "fail");
	value_set_string(r, "level", level_of(finding));
	value_set(r, "message", message(text));
	value_set(r, "locations", locations_of(finding));
	value_set_string(prints, "finding/v1", value_text(finding, "name"));
	value_set(r, "partialFingerprints", prints);
	value_set_string(properties, "layer", value_text(finding, "layer"));
	value_set_string(properties, "measured", value_text(finding, "measured"));
	value_set(r, "properties", properties);
	return r;
}

static struct value *tool_of(struct value *rules)
{
	struct value *tool = value_map(), *driver = value_map();

	value_set_string(driver, "name", "verbatim");
	value_set_string(driver, "version", PACKAGE_VERSION);
	value_set(driver, "rules", rules);
	value_set(tool, "driver", driver);
	return tool;
}

static void findings_sarif(FILE *f, const struct value *list)
{
	struct value *rules = value_list(), *results = value_list(), *run = value_map(), *runs = value_list();
	auto_value struct value *all = value_map();
	auto_free char *text = NULL;
	size_t i;

	for (i = 0; i < list->list.count; i++) {
		if (!strcmp(value_text(list->list.item[i], "part"), findings_parts[FINDINGS_FIXED]))
			continue;
		add_rule(rules, list->list.item[i]);
		value_append(results, result_of(list->list.item[i]));
	}
	value_set(run, "tool", tool_of(rules));
	value_set(run, "results", results);
	value_append(runs, run);
	value_set_string(all, "version", "2.1.0");
	value_set(all, "runs", runs);
	text = json_write_pretty(all);
	fprintf(f, "%s\n", text);
}

static void put_more(FILE *f, const char *label, const char *text)
{
	if (text && *text)
		fprintf(f, "             %s: %s\n", label, text);
}

/* The short form, for a reader who asked for a few findings by name. */
static void put_line(FILE *f, const struct value *m)
{
	auto_free char *fix = finding_fix_show(m), *links = value_join(value_get(m, "link"));

	fprintf(f, "%-12s %-14s %-13s %s\n             %s\n", findings_layer(m), value_text(m, "title"),
		value_text(m, "severity"), value_text(m, "name"), value_text(m, "what"));
	put_more(f, "seen", value_text(m, "seen"));
	put_more(f, "cause", value_text(m, "cause"));
	put_more(f, "reported", value_text(m, "reported"));
	put_more(f, "upstream", links);
	put_more(f, "fixed by", fix);
}

static void print_text(FILE *f, const struct value *list)
{
	const struct value *m;
	bool fixed = false;
	size_t i;

	for (i = 0; i < list->list.count; i++) {
		m = list->list.item[i];
		if (!fixed && findings_is_in(m, FINDINGS_FIXED)) {
			fprintf(f, "%sfixed upstream:\n", i ? "\n" : "");
			fixed = true;
		}
		put_line(f, m);
	}
	findings_put_counts(f, list);
	fputc('\n', f);
}

static void print_json(FILE *f, const struct value *list)
{
	auto_free char *text = json_write_pretty(list);

	fprintf(f, "%s\n", text);
}

const struct findings_format findings_formats[] = {
	{"text", print_text},
	{"md", findings_md},
	{"json", print_json},
	{"sarif", findings_sarif},
	{0},
};

const struct findings_format *findings_format_find(const char *name)
{
	const struct findings_format *f = findings_formats;

	while (f->name && strcmp(f->name, name))
		f++;
	return f->name ? f : NULL;
}
