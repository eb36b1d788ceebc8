/* SPDX-License-Identifier: BSD-2-Clause */
#include "event/event.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

#include "base/text.h"
#include "base/value.h"
#include "base/xalloc.h"
#include "lib/base/fail.h"

static const struct {
	const char *name;
	bool expected;
} verdicts[VERDICT_COUNT] = {
	[VERDICT_PASS] = {"PASS", true},
	[VERDICT_FAIL] = {"FAIL", false},
	[VERDICT_XFAIL] = {"XFAIL", true},
	/* XPASS fails a run, because the entry of the finding has to be removed. */
	[VERDICT_XPASS] = {"XPASS", false},
	[VERDICT_SKIP] = {"SKIP", true},
	[VERDICT_INVALID] = {"INVALID", false},
	[VERDICT_ERROR] = {"ERROR", false},
};

const char *verdict_name(enum verdict v)
{
	return verdicts[v].name;
}

int verdict_parse(const char *name, enum verdict *v)
{
	int i;

	for (i = 0; i < VERDICT_COUNT; i++) {
		if (strcmp(verdicts[i].name, name) == 0) {
			*v = (enum verdict)i;
			return 0;
		}
	}
	return -EINVAL;
}

bool verdict_is_expected(enum verdict v)
{
	return verdicts[v].expected;
}

enum member_type { INT, STRING, STRING_OR_NULL, BOOL, LIST, MAP, ANY };

struct member {
	const char *name;
	enum member_type type;
	bool optional;		/* may be missing; if present, it has this type */
};

struct kind {
	const char *name;
	struct member member[16];	/* ends with a NULL name */
};

#define VARIANT {"variant", INT}, {"name", STRING}
#define OPTIONAL(name, type) {name, type, true}
#define STEP                                                                  \
	VARIANT, {"line", INT}, {"col", INT}, {"host", STRING}, {"call", STRING}, \
	OPTIONAL("fragment", STRING), OPTIONAL("round", STRING)

static const struct kind kinds[] = {
	{"hello", {{"version", STRING}, {"kernel", STRING}}},
	{"run", {{"scenarios", INT}, {"target", STRING}}},
	{"layout", {{"layout", STRING}}},
	{"loaded", {{"files", LIST}}},
	{"fabric", {{"hosts", INT}, {"layout", STRING}, {"build_ms", INT}, {"reused", BOOL}}},
	{"scenario", {VARIANT, {"id", STRING}, {"title", STRING}, {"path", STRING},
		      {"clauses", LIST}, OPTIONAL("specs", LIST)}},
	{"step", {STEP, {"index", INT}, {"args", MAP}, {"result", ANY}, {"us", INT}, {"ok", BOOL},
		  OPTIONAL("text", STRING), OPTIONAL("tries", INT)}},
	{"fail", {STEP, {"index", INT}, {"field", STRING}, {"expected", STRING},
		  {"actual", STRING}, OPTIONAL("either", INT), OPTIONAL("outcome", INT)}},
	{"last", {STEP, {"result", ANY}, OPTIONAL("text", STRING)}},
	{"log", {VARIANT, {"host", STRING}, {"text", STRING}}},
	{"kernel", {OPTIONAL("variant", INT), {"name", STRING_OR_NULL}, {"level", INT},
		    {"text", STRING}, {"bad", BOOL}, OPTIONAL("known", STRING)}},
	{"verdict", {VARIANT, {"verdict", STRING}, {"reason", STRING_OR_NULL},
		     {"took_ms", INT}, {"own_us", INT}, OPTIONAL("complaints", LIST),
		     OPTIONAL("findings", LIST)}},
	{"output", {{"host", STRING}, {"stream", INT}, {"data", STRING}}},
	{"taken", {{"host", STRING}}},
	{"terminal", {{"join", INT}, OPTIONAL("data", STRING), OPTIONAL("taken", BOOL),
		      OPTIONAL("status", INT), OPTIONAL("error", STRING)}},
	{"counters", {{"host", STRING}, {"values", MAP}}},
	{"wire", {{"host", STRING}, {"received", INT}, {"arrived", INT},
		  OPTIONAL("captured", INT), OPTIONAL("lost", INT)}},
	{"capture", {{"error", STRING}}},
	{"stuck", {{"why", STRING}, {"text", STRING}}},
	{"exit", {{"host", STRING}, {"status", INT}, OPTIONAL("told", BOOL)}},
	{"error", {{"code", INT}, {"text", STRING}}},
	{"end", {{"events", INT}, {"broken", BOOL}}},
};

static bool has_type(const struct value *v, enum member_type type)
{
	switch (type) {
	case INT:
		return v->type == VALUE_INT;
	case STRING:
		return v->type == VALUE_STRING;
	case STRING_OR_NULL:
		return v->type == VALUE_STRING || v->type == VALUE_NULL;
	case BOOL:
		return v->type == VALUE_BOOL;
	case LIST:
		return v->type == VALUE_LIST;
	case MAP:
		return v->type == VALUE_MAP;
	case ANY:
		return true;
	}
	return false;
}

static const struct kind *find_kind(const char *name)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(kinds); i++)
		if (strcmp(kinds[i].name, name) == 0)
			return &kinds[i];
	return NULL;
}

static int check_member(const struct value *event, const struct member *m,
			struct vbm_error *err)
{
	const struct value *v = value_get(event, m->name);

	if (!v && (m->optional || m->type == STRING_OR_NULL))
		return 0;
	if (!v)
		return vbm_fail(err, EPROTO, "event '%s' without \"%s\"", event_kind(event),
				m->name);
	if (!has_type(v, m->type))
		return vbm_fail(err, EPROTO, "event '%s': \"%s\" is of type %s", event_kind(event),
				m->name, value_type_name(v->type));
	return 0;
}

int event_check(const struct value *event, struct vbm_error *err)
{
	const struct kind *kind;
	const struct member *m;
	enum verdict v;
	int rc;

	if (event->type != VALUE_MAP)
		return vbm_fail(err, EPROTO, "not an event but a %s", value_type_name(event->type));
	kind = find_kind(event_kind(event));
	if (!kind)
		return vbm_fail(err, EPROTO, "unknown kind of event '%.40s'", event_kind(event));
	for (m = kind->member; m->name; m++) {
		rc = check_member(event, m, err);
		if (rc < 0)
			return rc;
	}
	if (event_is(event, "verdict") &&
	    verdict_parse(value_get_string(event, "verdict", ""), &v) < 0)
		return vbm_fail(err, EPROTO, "unknown verdict '%.40s'",
				value_get_string(event, "verdict", ""));
	return 0;
}

const char *event_kind(const struct value *event)
{
	return value_get_string(event, "event", "");
}

bool event_is(const struct value *event, const char *kind)
{
	return strcmp(event_kind(event), kind) == 0;
}

void event_add_origin(struct text *t, const struct value *event)
{
	const char *fragment = value_get_string(event, "fragment", NULL);
	const char *round = value_get_string(event, "round", NULL);

	if (fragment)
		text_addf(t, " (in %s%s%s)", fragment, round ? ", " : "", round ? round : "");
	else if (round)
		text_addf(t, " (with %s)", round);
}

void event_add_place(struct text *t, const struct value *event, const char *path)
{
	text_addf(t, "%s:%" PRId64 ":%" PRId64 ": %s.%s", path, value_get_int(event, "line", 0),
		  value_get_int(event, "col", 0), value_get_string(event, "host", "?"),
		  value_get_string(event, "call", "?"));
	event_add_origin(t, event);
}

void event_add_fail(struct text *t, const struct value *event, const char *path)
{
	const char *expected = value_get_string(event, "expected", "?");
	const char *actual = value_get_string(event, "actual", "?");
	int64_t outcome = value_get_int(event, "outcome", 0);

	event_add_place(t, event, path);
	if (strcmp(expected, EXPECTED_IN_TIME) == 0)
		text_addf(t, ": %s", actual);
	else
		text_addf(t, ": %s: expected %s, got %s", value_get_string(event, "field", "?"),
			  expected, actual);
	if (outcome)
		text_addf(t, " (outcome %" PRId64 ")", outcome);
}
