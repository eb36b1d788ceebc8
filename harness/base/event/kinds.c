/* SPDX-License-Identifier: BSD-2-Clause */
#include "event/kinds.h"

#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/json.h"
#include "base/text.h"
#include "base/value.h"
#include "base/xalloc.h"
#include "event/event.h"
#include "event/members.h"
#include "event/sent.h"
#include "lib/base/fail.h"

#define VARIANT INTEGER("variant"), STRING("name")
#define STEP                                                                  \
	VARIANT, INTEGER("line"), INTEGER("col"), STRING("host"), STRING("call"), \
	OPTIONAL("fragment", STRING), OPTIONAL("round", STRING)
#define PLACE                                                                 \
	STRING("lane"), STRING("accelerator"), STRING("kernel"), STRING("rdma_core"), \
	STRING("target"), OPTIONAL("device", STRING), OPTIONAL("librdmacm", STRING), \
	OPTIONAL("virtual_time", FLAG), \
	OPTIONAL("shard", MAP)

static const struct event_kind kinds[] = {
	{"hello", false, {STRING("version"), STRING("kernel"), OPTIONAL("page_size", INTEGER)}},
	{"run", false, {INTEGER("scenarios"), STRING("target")}},
	{"layout", false, {STRING("layout")}},
	{"machine", false, {STRING("host"), STRING("nodename"), STRING("dev"), STRING("netdev"), STRING("driver"),
			    STRING("firmware"), STRING("ip4"), STRING("ip6"), STRING("kernel"), STRING("rdma_core"),
			    INTEGER("mtu"), FLAG("copied"), OPTIONAL("put_back", STRINGS)}},
	{"configures", false, {STRING("host"), STRING("text")}},
	{"loaded", false, {STRINGS("files")}},
	{"fabric", false, {INTEGER("hosts"), STRING("layout"), INTEGER("build_ms"), FLAG("reused"),
			   OPTIONAL("cable", MAP), OPTIONAL("routed", FLAG)}},
	{"scenario", false, {VARIANT, STRING("id"), STRING("title"), STRING("path"),
			     STRINGS("clauses"), OPTIONAL("specs", STRINGS)}},
	{"step", false, {STEP, INTEGER("index"), {"args", EVENT_MAP}, {"result", EVENT_ANY},
			 INTEGER("us"), FLAG("ok"), OPTIONAL("text", STRING),
			 OPTIONAL("tries", INTEGER)}},
	{"fail", false, {STEP, INTEGER("index"), STRING("field"), STRING("expected"),
			 STRING("actual"), OPTIONAL("either", INTEGER),
			 OPTIONAL("outcome", INTEGER)}},
	{"last", false, {STEP, {"result", EVENT_ANY}, OPTIONAL("text", STRING)}},
	{"packet", false, {VARIANT, STRING("host"), STRING("way"), INTEGER("ns"), INTEGER("steps"),
			   STRING("text"), STRING("data"), OPTIONAL("note", STRING),
			   OPTIONAL("taken", FLAG), OPTIONAL("left_out", INTEGER)}},
	{"log", false, {VARIANT, STRING("host"), STRING("text")}},
	{"kernel", false, {OPTIONAL("variant", INTEGER), STRING_OR_NULL("name"), INTEGER("level"),
			   STRING("text"), FLAG("bad"), OPTIONAL("known", STRING)}},
	{"verdict", false, {VARIANT, {"verdict", EVENT_VERDICT}, STRING_OR_NULL("reason"),
			    INTEGER("took_ms"), INTEGER("own_us"), OPTIONAL("complaints", STRINGS),
			    OPTIONAL("findings", STRINGS), OPTIONAL("left", STRINGS)}},
	{"output", false, {STRING("host"), INTEGER("command"), INTEGER("stream"), STRING("data")}},
	{"taken", false, {STRING("host")}},
	{"terminal", false, {INTEGER("join"), OPTIONAL("data", STRING), OPTIONAL("taken", FLAG),
			     OPTIONAL("status", INTEGER), OPTIONAL("error", STRING)}},
	{"counters", false, {STRING("host"), NUMBERS("values")}},
	{"wire", false, {STRING("host"), INTEGER("received"), INTEGER("arrived"),
			 OPTIONAL("captured", INTEGER), OPTIONAL("lost", INTEGER),
			 OPTIONAL("cable", STRING), OPTIONAL("dropped", INTEGER)}},
	{"capture", false, {STRING("error")}},
	{"rule", false, {STRING("host"), STRING("step"), INTEGER("line"), INTEGER("matched"), INTEGER("acted"),
			 OPTIONAL("seed", INTEGER)}},
	{"stuck", false, {STRING("why"), STRING("text")}},
	{"exit", false, {STRING("host"), OPTIONAL("command", INTEGER), INTEGER("status"),
			 OPTIONAL("told", FLAG), OPTIONAL("memory_mb", INTEGER),
			 OPTIONAL("memory_used_mb", INTEGER)}},
	{"astray", false, {INTEGER("sequence"), INTEGER("operation"), STRING("host"), STRING("call"),
			   STRING("field"), STRING("expected"), STRING("actual"), STRING("breaks")}},
	{"walker", false, {STRINGS("lacks")}},
	{"walking", false, {INTEGER("sequence"), OPTIONAL("operation", INTEGER)}},
	{"walked", false, {INTEGER("first"), INTEGER("operations"), STRINGS("complaints"), STRINGS("left")}},
	{"error", false, {INTEGER("code"), STRING("text")}},
	{"end", false, {INTEGER("events"), FLAG("broken"), OPTIONAL("rss_kb", INTEGER)}},
	{"begin", true, {PLACE, INTEGER("total")}},
	{"progress", true, {STRING("text")}},
	{"summary", true, {PLACE, OPTIONAL("layout", STRING), NUMBERS("counts"), INTEGER("total"),
			   INTEGER("took_ms"), INTEGER("exit"), OPTIONAL("errors", STRINGS),
			   OPTIONAL("scenarios", MAPS)}},
};

/* Events of the front end have no number and no time. */
static const struct event_member common[] = {
	STRING("event"), OPTIONAL("seq", INTEGER), OPTIONAL("ms", INTEGER),
};

const struct event_kind *event_kind_at(size_t i)
{
	return i < ARRAY_SIZE(kinds) ? &kinds[i] : NULL;
}

static const struct event_kind *find_kind(const char *name)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(kinds); i++)
		if (text_same(kinds[i].name, name))
			return &kinds[i];
	return NULL;
}

#define EACH_MEMBER(m, kind) \
	for ((m) = (kind)->member; (m) < (kind)->member + EVENT_MEMBERS && (m)->name; (m)++)

static const struct event_member *find_member(const struct event_kind *kind, const char *name)
{
	const struct event_member *m;
	size_t i;

	EACH_MEMBER(m, kind)
		if (text_same(m->name, name))
			return m;
	for (i = 0; !kind->noun && i < ARRAY_SIZE(common); i++)
		if (text_same(common[i].name, name))
			return &common[i];
	return NULL;
}

static const struct event_kind *kind_of(const struct value *v)
{
	const struct value *name = value_get(v, "event");

	if (!name)
		return sent_kind_of(v);
	return name->type == VALUE_STRING ? find_kind(name->s) : NULL;
}

const char *event_noun(const struct value *v)
{
	const struct event_kind *kind = kind_of(v);

	return kind && kind->noun ? kind->noun : "event";
}

const char *event_label(const struct value *v)
{
	const struct event_kind *kind = kind_of(v);

	return kind ? kind->name : event_kind(v);
}

const struct event_member *event_member(const struct value *event, const char *name)
{
	const struct event_kind *kind = kind_of(event);

	return kind ? find_member(kind, name) : NULL;
}

static bool is_bytes(const struct value *v)
{
	auto_free char *text = json_bytes_read(v);

	return text;
}

static bool has_only_bytes(const struct value *list)
{
	size_t i;

	for (i = 0; i < list->list.count; i++)
		if (!is_bytes(list->list.item[i]))
			return false;
	return true;
}

static bool has_only(const struct value *v, enum value_type type)
{
	size_t i;

	if (v->type == VALUE_LIST) {
		for (i = 0; i < v->list.count; i++)
			if (v->list.item[i]->type != type)
				return false;
		return true;
	}
	for (i = 0; i < v->map.count; i++)
		if (v->map.member[i].value->type != type)
			return false;
	return true;
}

bool event_member_fits(const struct event_member *m, const struct value *v)
{
	enum verdict verdict;

	switch (m->type) {
	case EVENT_INTEGER:
		return v->type == VALUE_INT;
	case EVENT_STRING:
		return v->type == VALUE_STRING;
	case EVENT_STRING_OR_NULL:
		return v->type == VALUE_STRING || v->type == VALUE_NULL;
	case EVENT_FLAG:
		return v->type == VALUE_BOOL;
	case EVENT_VERDICT:
		return v->type == VALUE_STRING && verdict_parse(v->s, &verdict) == 0;
	case EVENT_STRINGS:
		return v->type == VALUE_LIST && has_only(v, VALUE_STRING);
	case EVENT_NUMBERS:
		return v->type == VALUE_MAP && has_only(v, VALUE_INT);
	case EVENT_MAP:
		return v->type == VALUE_MAP;
	case EVENT_MAPS:
		return v->type == VALUE_LIST && has_only(v, VALUE_MAP);
	case EVENT_TEXTS:
		return v->type == VALUE_MAP && has_only(v, VALUE_STRING);
	case EVENT_BYTES:
		return is_bytes(v);
	case EVENT_BYTES_LIST:
		return v->type == VALUE_LIST && has_only_bytes(v);
	case EVENT_ANY:
		return true;
	}
	return false;
}

bool event_member_may_be_absent(const struct event_member *m)
{
	return m->optional || m->type == EVENT_STRING_OR_NULL;
}

const char *event_type_name(enum event_type type)
{
	static const char *const names[] = {
		[EVENT_INTEGER] = "an integer",
		[EVENT_STRING] = "a string",
		[EVENT_STRING_OR_NULL] = "a string or null",
		[EVENT_FLAG] = "a boolean",
		[EVENT_VERDICT] = "a verdict",
		[EVENT_STRINGS] = "a list of strings",
		[EVENT_NUMBERS] = "a map of integers",
		[EVENT_MAP] = "a map",
		[EVENT_MAPS] = "a list of maps",
		[EVENT_TEXTS] = "a map of strings",
		[EVENT_BYTES] = "a string or bytes",
		[EVENT_BYTES_LIST] = "a list of strings or bytes",
		[EVENT_ANY] = "of any type",
	};

	return names[type];
}

static int check_member(const struct value *event, const struct event_member *m,
			struct vbm_error *err)
{
	const struct value *v = value_get(event, m->name);

	if (!v && event_member_may_be_absent(m))
		return 0;
	if (!v)
		return vbm_fail(err, EPROTO, "%s '%s' lacks the member \"%s\"", event_noun(event),
				event_label(event), m->name);
	if (event_member_fits(m, v))
		return 0;
	if (m->type == EVENT_VERDICT && v->type == VALUE_STRING)
		return vbm_fail(err, EPROTO, "unknown verdict '%.40s'", v->s);
	return vbm_fail(err, EPROTO, "%s '%s': \"%s\" is of type %s and has to be %s",
			event_noun(event), event_label(event), m->name, value_type_name(v->type),
			event_type_name(m->type));
}

static int check_members(const struct value *v, const struct event_kind *kind,
			 struct vbm_error *err)
{
	const struct event_member *m;
	int rc;

	EACH_MEMBER(m, kind) {
		rc = check_member(v, m, err);
		if (rc)
			return rc;
	}
	return 0;
}

/* The first member of @v that its kind does not have, or NULL. */
static const char *stray_member(const struct value *v, const struct event_kind *kind)
{
	size_t i;

	for (i = 0; i < v->map.count; i++)
		if (!find_member(kind, v->map.member[i].key))
			return v->map.member[i].key;
	return NULL;
}

static int check_event(const struct value *event, const struct event_kind **kind, struct vbm_error *err)
{
	size_t i;
	int rc;

	if (event->type != VALUE_MAP)
		return vbm_fail(err, EPROTO, "an event is a map, and this has the type %s",
				value_type_name(event->type));
	*kind = find_kind(event_kind(event));
	if (!*kind)
		return vbm_fail(err, EPROTO, "unknown kind of event '%.40s'", event_kind(event));
	for (i = 0; i < ARRAY_SIZE(common); i++) {
		rc = check_member(event, &common[i], err);
		if (rc < 0)
			return rc;
	}
	return check_members(event, *kind, err);
}

int event_check_any(const struct value *event, struct vbm_error *err)
{
	const struct event_kind *kind;

	return check_event(event, &kind, err);
}

int event_check(const struct value *event, struct vbm_error *err)
{
	const struct event_kind *kind;
	int rc = check_event(event, &kind, err);

	if (rc == 0 && kind->front)
		return vbm_fail(err, EPROTO, "a runner does not send the event '%s'", kind->name);
	return rc;
}

void event_made(const struct value *event)
{
	const struct event_kind *kind;
	struct vbm_error err = {0};
	const char *stray;

	if (check_event(event, &kind, &err) < 0) {
		event_fault("%s", err.msg);
		return;
	}
	stray = stray_member(event, kind);
	if (stray)
		event_fault("event '%s' has no member \"%s\"", kind->name, stray);
}

int sent_check(const struct value *v, struct vbm_error *err)
{
	const struct event_kind *kind;
	const char *stray;
	int rc;

	if (v->type != VALUE_MAP)
		return vbm_fail(err, EPROTO, "not a job and not a line after it, but a %s",
				value_type_name(v->type));
	kind = sent_kind_of(v);
	if (!kind && value_get(v, "job"))
		return vbm_fail(err, EPROTO, "no job is called '%.40s'",
				value_get_string(v, "job", "?"));
	/* The readers would take it for an event. */
	if (!kind || value_get(v, "event"))
		return vbm_fail(err, EPROTO, "not a line that follows a job");
	rc = check_members(v, kind, err);
	stray = kind->open ? NULL : stray_member(v, kind);
	if (rc == 0 && stray)
		return vbm_fail(err, EPROTO, "%s '%s' has no member \"%.40s\"", kind->noun,
				kind->name, stray);
	return rc;
}

int sent_check_as(const struct value *v, const char *kind, struct vbm_error *err)
{
	int rc = sent_check(v, err);

	if (rc == 0 && !sent_is(v, kind))
		return vbm_fail(err, EPROTO, "%s '%s' where '%s' has to be", event_noun(v),
				event_label(v), kind);
	return rc;
}

int sent_check_job(const struct value *v, struct vbm_error *err)
{
	int rc = sent_check(v, err);

	if (rc == 0 && !value_get(v, "job"))
		return vbm_fail(err, EPROTO, "line '%s' where a job has to be", event_label(v));
	return rc;
}

int sent_check_line(const struct value *v, const struct value *job, struct vbm_error *err)
{
	const char *name = event_label(job), *jobs;
	int rc = sent_check(v, err);

	if (rc < 0)
		return rc;
	jobs = sent_kind_of(v)->jobs;
	if (!jobs || !strstr(jobs, name))
		return vbm_fail(err, EPROTO, "%s '%s' does not follow a job '%s'", event_noun(v),
				event_label(v), name);
	return 0;
}

void sent_made(const struct value *v)
{
	struct vbm_error err = {0};

	if (sent_check(v, &err) < 0)
		event_fault("%s", err.msg);
}

const char *event_kind(const struct value *event)
{
	return value_get_string(event, "event", "");
}

bool event_is(const struct value *event, const char *kind)
{
	return text_same(event_kind(event), kind);
}
