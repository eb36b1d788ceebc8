/* SPDX-License-Identifier: BSD-2-Clause */
/* The page of one finding, in the order in which a maintainer asks. */
#include "findings/pages.h"

#include <stdbool.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/value.h"
#include "base/xalloc.h"
#include "findings/list.h"

static const struct value *list_of(const struct value *m, const char *key)
{
	static const struct value none = {.type = VALUE_LIST};
	const struct value *list = value_get(m, key);

	return list && list->type == VALUE_LIST ? list : &none;
}

/* What does not have a finding with a condition. */
static const struct {
	const char *op, *before, *after;	/* what stands before and after the version */
} outside[] = {
	/* An operator comes before those that it begins with. */
	{">=", "before ", ""}, {"<=", "after ", ""}, {"!=", "", ""},
	{">", "up to ", ""}, {"<", "from ", " on"}, {"=", "other than ", ""},
};

static const struct {
	const char *capability, *name;
} things[] = {
	{"kernel", "kernels"}, {"rdma_core", "rdma-core"}, {"layout", "layouts"}, {"lane", "lanes"},
	{"target", "targets"}, {"device", "devices"},
};

/* "kernel>=6.4" -> "kernels before 6.4" */
static char *opposite(const char *condition)
{
	size_t len = strcspn(condition, "<>=!"), thing, i;

	if (!strcmp(condition, "target=system"))
		return xstrdup("libverbatim, the library of this project");
	for (thing = 0; thing < ARRAY_SIZE(things); thing++)
		if (strlen(things[thing].capability) == len && !strncmp(condition, things[thing].capability, len))
			break;
	for (i = 0; thing < ARRAY_SIZE(things) && i < ARRAY_SIZE(outside); i++)
		if (!strncmp(condition + len, outside[i].op, strlen(outside[i].op)))
			return xasprintf("%s %s%s%s", things[thing].name, outside[i].before,
					 condition + len + strlen(outside[i].op), outside[i].after);
	return xasprintf("places where %s does not hold", condition);
}

static void put_versions(FILE *f, const struct value *m)
{
	auto_free char *fix = finding_fix_show(m);
	const struct value *when = list_of(m, "when");
	size_t i;

	fputs("\n## Versions\n\n", f);
	markdown_put_item(f, "In, as measured", value_text(m, "measured"));
	markdown_put_item(f, "Seen in the matrix of versions", value_text(m, "seen"));
	markdown_put_item(f, "In, as inferred and not measured", value_text(m, "inferred"));
	for (i = 0; i < when->list.count; i++) {
		auto_free char *text = opposite(when->list.item[i]->s);

		markdown_put_item(f, "Not in", text);
	}
	if (when->list.count == 0)
		fputs("- **Not in**: no version is known that does not have it\n", f);
	markdown_put_item(f, "Fixed by", fix);
}

static void put_promises(FILE *f, const struct value *m)
{
	const struct value *list = list_of(m, "promises"), *p;
	size_t i;

	fputs("\n## Promise\n", f);
	for (i = 0; i < list->list.count; i++) {
		p = list->list.item[i];
		fputs("\n> ", f);
		markdown_put(f, value_text(p, "statement"));
		fputs("\n\n", f);
		markdown_put(f, value_text(p, "source"));
		fprintf(f, " (clause `%s`)\n", value_text(p, "clause"));
	}
	if (*value_text(m, "source")) {
		fputs("\n", f);
		markdown_put(f, value_text(m, "source"));
		fputs("\n", f);
	}
}

static void put_comes(FILE *f, const struct value *m)
{
	auto_free char *links = value_join(value_get(m, "link"));

	fputs("\n## What comes\n\n", f);
	markdown_put_item(f, "Got", *value_text(m, "got") ? value_text(m, "got") : value_text(m, "what"));
	markdown_put_item(f, "Expected", value_text(m, "expected"));
	markdown_put_item(f, "Suspected", value_text(m, "cause"));
	markdown_put_item(f, "Reported", value_text(m, "reported"));
	markdown_put_item(f, "Upstream", links);
}

/* The length of the id in a pattern of variants; 0: the pattern is not that of one scenario. */
static size_t id_length(const char *pattern)
{
	size_t len = strcspn(pattern, "[*?");

	return pattern[len] == '\0' || pattern[len] == '[' ? len : 0;
}

static const char *is_like(const char *got, bool sometimes)
{
	if (strpbrk(got, "*?"))
		return sometimes ? "is sometimes like" : "is like";
	return sometimes ? "is sometimes" : "is";
}

static void put_symptom(FILE *f, const struct value *s, const char *suite)
{
	const char *pattern = value_text(s, "scenario"), *got = value_text(s, "got");
	size_t id = id_length(pattern);

	fputs("- ", f);
	if (id > 0) {
		fprintf(f, "[`%s`](%s/%.*s.yaml): ", pattern, suite, (int)id, pattern);
	} else {
		fprintf(f, "`%s`: ", pattern);
	}
	if (*value_text(s, "complaint"))
		fprintf(f, "the kernel prints `%s`\n", value_text(s, "complaint"));
	else
		fprintf(f, "`%s%s%s` %s %s%s%s\n", value_text(s, "step"), *value_text(s, "step") ? "." : "", value_text(s, "field"),
			is_like(got, value_get_bool(s, "sometimes", false)),
			*got ? "`" : "", *got ? got : "not as expected", *got ? "`" : "");
}

static void put_scenarios(FILE *f, const struct value *m, const char *suite)
{
	const struct value *list = list_of(m, "shown_by");
	size_t i;

	if (*value_text(m, "command"))
		fprintf(f, "\n## Command\n\n```sh\n%s\n```\n", value_text(m, "command"));
	if (list->list.count)
		fputs("\n## Scenarios\n\n", f);
	for (i = 0; i < list->list.count; i++)
		put_symptom(f, list->list.item[i], suite);
}

static void put_end(FILE *f, const struct value *m, const struct findings_around *around)
{
	const char *slash = strrchr(value_text(m, "file"), '/'), *file = slash ? slash + 1 : value_text(m, "file");

	fprintf(f, "\n## Where this is from\n\n[%s](%s/findings/%s), by `verbatim findings --pages`. "
		"[All findings](../%s.md#%s)\n", file, around->suite, file, around->index, value_text(m, "name"));
}

void findings_one_page(FILE *f, const struct value *m, const struct findings_around *around, const char *trace)
{
	bool told = !findings_is_in(m, FINDINGS_BUGS);

	fprintf(f, "# %s\n\n", value_text(m, "name"));
	markdown_put_what(f, m);
	fputs("\n", f);
	put_versions(f, m);
	put_promises(f, m);
	put_comes(f, m);
	if (told)
		put_scenarios(f, m, around->suite);
	else	/* SECURITY.md has the reason. */
		fputs("\nThis page does not say how to make the bug happen, because no version has a fix.\n", f);
	put_end(f, m, around);
	if (trace && told)
		fprintf(f, "%s%s", FINDINGS_TRACE, trace);
}
