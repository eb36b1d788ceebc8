/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/json.h"
#include "base/text.h"
#include "base/value.h"
#include "base/xalloc.h"
#include "event/read.h"
#include "findings/list.h"
#include "lib/base/fail.h"
#include "runs/stored.h"

/* Where a page leads to. */
struct findings_around {
	const char *suite;	/* its folder, seen from the page's */
	const char *index;	/* the name of the index in the folder above, without ".md" */
};

/* The heading of the trace, which is the last part of a page. */
#define FINDINGS_TRACE "\n## Trace\n"

static const struct value *list_of(const struct value *m, const char *key)
{
	static const struct value none = {.type = VALUE_LIST};
	const struct value *list = value_get(m, key);

	return list && list->type == VALUE_LIST ? list : &none;
}

/* The words for versions that do not meet a condition. */
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

/*
 * Prints the page of one finding. @trace: what the hosts did in a run, see findings_traces(); NULL: there is none. A page
 * of a bug that is not mended has no command, scenarios or trace.
 */
static void findings_one_page(FILE *f, const struct value *m, const struct findings_around *around, const char *trace)
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

/* The way from the folder @from to @to, which are both absolute: "../../scenarios". */
static char *way(const char *from, const char *to)
{
	struct text t auto_text = {0};
	size_t same = 0, i;

	for (i = 0; from[i] && from[i] == to[i]; i++)
		if (from[i] == '/')
			same = i + 1;
	if (!from[i] && to[i] == '/')
		same = i + 1;
	for (i = same; i <= strlen(from) && from[same]; i++)
		if (from[i] == '/' || !from[i])
			text_add(&t, "../");
	text_add(&t, same <= strlen(to) ? to + same : "");
	return xstrdup(t.s && *t.s ? t.s : ".");
}

static char *resolve_path(const char *path, struct vbm_error *err)
{
	char *real = realpath(path, NULL);

	if (!real)
		vbm_fail(err, errno, "%s: %s", path, strerror(errno));
	return real;
}

/* The trace of the page at @path; NULL: there is no page, or it has none. */
static char *kept_trace(const char *path)
{
	auto_free char *text = text_of_file(path, NULL);
	const char *trace = text ? strstr(text, FINDINGS_TRACE) : NULL;

	return trace ? xstrdup(trace + strlen(FINDINGS_TRACE)) : NULL;
}

static FILE *open_text(char **text, size_t *len)
{
	FILE *f = open_memstream(text, len);

	if (!f)
		abort();	/* out of memory */
	return f;
}

/* The names of a foreign suite become names of files here. */
static bool is_plain(const char *name)
{
	return *name && *name != '.' && !strchr(name, '/') && strlen(name) < NAME_MAX - 20;
}

static int write_page(const struct value *finding, const char *suite, const char *dir, const struct value *traces,
		      struct vbm_error *err)
{
	const char *name = value_get_string(finding, "name", "");
	auto_free char *path = xasprintf("%s/%s.md", dir, name), *kept = NULL, *text = NULL;
	const struct findings_around around = {.suite = suite, .index = strrchr(dir, '/') + 1};
	size_t len;
	FILE *f;

	if (!is_plain(name))
		return vbm_fail(err, EINVAL, "a finding is called '%s', which cannot be the name of a page", name);
	kept = kept_trace(path);
	f = open_text(&text, &len);
	findings_one_page(f, finding, &around, value_get_string(traces, name, kept));
	fclose(f);
	return file_replace(path, text, err);
}

static int write_index(const struct value *list, const char *dir, struct vbm_error *err)
{
	auto_free char *path = xasprintf("%s.md", dir), *text = NULL;
	size_t len;
	FILE *f = open_text(&text, &len);

	findings_index(f, list, strrchr(dir, '/') + 1);
	fclose(f);
	return file_replace(path, text, err);
}

int findings_pages_write(const struct value *list, const char *suite, const char *dir,
			 const struct value *traces, struct vbm_error *err)
{
	auto_free char *from = NULL, *to = NULL, *link = NULL;
	size_t i;
	int rc = file_make_dirs(dir, err);

	if (rc < 0)
		return rc;
	from = resolve_path(dir, err);
	to = from ? resolve_path(suite, err) : NULL;
	if (!to)
		return -err->code;
	link = way(from, to);
	for (i = 0; rc == 0 && i < list->list.count; i++)
		rc = write_page(list->list.item[i], link, from, traces, err);
	return rc < 0 ? rc : write_index(list, from, err);
}

/* ---- traces ---- */

#define LINES 24	/* the last ones before the failure are enough */
#define WIDE 160	/* bytes of an argument list, an answer or a message */

struct tracer {
	struct value *traces;	/* borrowed */
	struct value *lines;	/* owned; list of strings of the variant that runs; NULL: none */
	bool failed;		/* what comes after the first failure is left out */
	struct text place;	/* owned */
};

/* @s, cut. The caller frees. */
static char *cut_text(const char *s)
{
	return strlen(s) > WIDE ? xasprintf("%.*s...", WIDE, s) : xstrdup(s);
}

static void add_line(struct tracer *t, const char *line)
{
	struct text shown auto_text = {0};

	text_add_visible_line(&shown, line);
	value_append(t->lines, value_string(shown.s));
}

static void on_step(struct tracer *t, const struct value *e)
{
	auto_free char *result = json_write(event_any(e, "result")), *args = value_show(event_map(e, "args"));
	auto_free char *given = cut_text(args), *answer = cut_text(event_string_or(e, "text", result));
	auto_free char *line = xasprintf("%s  line %" PRId64 "  %s%s%s -> %s", event_string(e, "host"),
					 event_integer(e, "line"), event_string(e, "call"), strcmp(given, "{}") ? " " : "",
					 strcmp(given, "{}") ? given : "", strcmp(answer, "null") ? answer : "nothing came");

	add_line(t, line);
}

static void on_fail(struct tracer *t, const struct value *e)
{
	auto_free char *expected = cut_text(event_string(e, "expected")), *actual = cut_text(event_string(e, "actual"));
	auto_free char *line = xasprintf("%s  line %" PRId64 "  %s: %s: expected %s, got %s", event_string(e, "host"),
					 event_integer(e, "line"), event_string(e, "call"), event_string(e, "field"),
					 expected, actual);

	add_line(t, line);
	t->failed = true;
}

static void on_kernel(struct tracer *t, const struct value *e)
{
	auto_free char *said = cut_text(event_string(e, "text")), *line = xasprintf("kernel  %s", said);

	if (event_flag(e, "bad"))
		add_line(t, line);
}

static void make_trace(struct tracer *t, const char *variant, struct text *out)
{
	size_t count = t->lines->list.count, i = count > LINES ? count - LINES : 0;

	text_addf(out, "\nWhat the hosts did in `%s`, %s", variant, t->place.s ? t->place.s : "");
	if (i > 0)
		text_addf(out, "; %zu lines before these are left out", i);
	text_add(out, ":\n\n```\n");
	for (; i < count; i++)
		text_addf(out, "%s\n", t->lines->list.item[i]->s);
	text_add(out, "```\n");
}

static void on_verdict(struct tracer *t, const struct value *e)
{
	const struct value *names = event_has(e, "findings") ? event_strings(e, "findings") : NULL;
	struct text trace auto_text = {0};
	size_t i;

	if (names && t->lines->list.count > 0)
		make_trace(t, event_name(e), &trace);
	for (i = 0; trace.s && i < names->list.count; i++)
		if (!value_get(t->traces, names->list.item[i]->s))
			value_set_string(t->traces, names->list.item[i]->s, trace.s);
}

static void begin_lines(struct tracer *t)
{
	value_free(t->lines);
	t->lines = value_list();
	t->failed = false;
}

static void on_begin(struct tracer *t, const struct value *e)
{
	text_clear(&t->place);
	text_addf(&t->place, "on kernel %s with rdma-core %s", event_string(e, "kernel"), event_string(e, "rdma_core"));
}

static void on_event(const struct value *e, void *arg)
{
	static const struct {
		const char *kind;
		void (*take)(struct tracer *t, const struct value *e);
	} kinds[] = {{"step", on_step}, {"fail", on_fail}, {"kernel", on_kernel}};
	struct tracer *t = arg;
	size_t i;

	if (event_is(e, "begin"))
		on_begin(t, e);
	if (event_is(e, "scenario"))
		begin_lines(t);
	for (i = 0; t->lines && !t->failed && i < ARRAY_SIZE(kinds); i++)
		if (event_is(e, kinds[i].kind))
			kinds[i].take(t, e);
	if (t->lines && event_is(e, "verdict"))
		on_verdict(t, e);
}

int findings_traces(struct value *traces, const char *run, struct vbm_error *err)
{
	struct tracer t = {.traces = traces};
	int rc = pieces_stored_events(run, on_event, &t, err);

	value_free(t.lines);
	text_fini(&t.place);
	return rc;
}
