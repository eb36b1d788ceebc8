/* SPDX-License-Identifier: BSD-2-Clause */
#include "plan/expect.h"
#include "names/consts.h"
#include "plan/tolerance.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/xalloc.h"
#include "base/text.h"
#include "step/bytes.h"

void mismatches_fini(struct mismatches *m)
{
	size_t i;

	for (i = 0; i < m->count; i++) {
		free(m->item[i].field);
		free(m->item[i].expected);
		free(m->item[i].actual);
	}
	free(m->item);
	*m = (struct mismatches){0};
}

void mismatches_add(struct mismatches *m, struct pos pos, const char *field, char *expected,
		    char *actual)
{
	GROW(m->item, m->count);
	m->item[m->count++] = (struct mismatch){
		.pos = pos,
		.field = xstrdup(field),
		.expected = expected,
		.actual = actual,
	};
}

#define ABSENT "(absent)"

/* Both readings of a value that a call may have meant as either: "EAI_NODATA or -EIO (-5)". */
static char *show_either(const struct field *f, const struct value *v)
{
	const char *name = const_name(f->set, v->i), *error = const_name(&const_errno, -v->i);

	if (v->i >= 0 || v->text || !error)
		return NULL;
	return xasprintf("%s%s-%s (%" PRId64 ")", name ? name : "", name ? " or " : "", error, v->i);
}

/* The text for a person: "EAI_QPTYPE (-7)", "7", "\"text\"". */
static char *format_value(const struct field *f, const struct value *v)
{
	auto_free char *name = NULL, *number = NULL;

	if (!v)
		return xstrdup(ABSENT);
	if (v->type == VALUE_INT && f && f->u64 && !v->text)
		return xasprintf("%" PRIu64, (uint64_t)v->i);
	if (v->type != VALUE_INT || !f || !f->set)
		return value_show(v);
	if (f->or_errno)
		name = show_either(f, v);
	if (name)
		return steal(&name);
	name = const_show(f->set, v->i);
	number = xasprintf(f->type == FIELD_FLAGS ? "0x%" PRIx64 : "%" PRId64, v->i);
	return strcmp(name, number) ? xasprintf("%s (%s)", name, number) : steal(&name);
}

/* A value and its position in the result, while it is compared with an expectation. */
struct match {
	struct mismatches *out;
	const struct field *field;
	const char *path;
	const struct value *actual;	/* NULL: the result lacks it */
};

/* Takes ownership of @expected. */
static bool differs(const struct match *m, struct pos pos, char *expected)
{
	mismatches_add(m->out, pos, m->path, expected, format_value(m->field, m->actual));
	return false;
}

static bool match_value(const struct match *m, const struct value *expect);

/* Whether @m matches @expect. Records no mismatch. */
static bool matches_value(const struct match *m, const struct value *expect)
{
	struct mismatches ignored = {0};
	struct match quiet = *m;
	bool ok;

	quiet.out = &ignored;
	ok = match_value(&quiet, expect);
	mismatches_fini(&ignored);
	return ok;
}

static bool match_fields(struct mismatches *out, const struct field *fields, const char *path,
			 const struct value *expect, const struct value *actual)
{
	const struct value_member *e;
	auto_free char *sub = NULL;
	bool ok = true;
	size_t i;

	for (i = 0; i < expect->map.count; i++) {
		e = &expect->map.member[i];
		free(sub);
		sub = xasprintf("%s%s%s", path, *path ? "." : "", e->key);
		ok &= match_value(&(struct match){.out = out,
						  .field = step_field_find(fields, e->key),
						  .path = sub,
						  .actual = value_get(actual, e->key)},
				  e->value);
	}
	return ok;
}

static bool match_list(const struct match *m, const struct value *expect)
{
	const struct value *item;
	char *path;
	size_t i;
	bool ok = true;

	if (!m->actual || m->actual->type != VALUE_LIST ||
	    m->actual->list.count != expect->list.count)
		return differs(m, expect->pos,
			       xasprintf("%zu item%s", expect->list.count,
					 expect->list.count == 1 ? "" : "s"));
	for (i = 0; i < expect->list.count; i++) {
		item = m->actual->list.item[i];
		path = xasprintf("%s[%zu]", m->path, i);
		ok &= match_fields(m->out, m->field ? m->field->sub : NULL, path,
				   expect->list.item[i], item);
		free(path);
	}
	return ok;
}

static bool match_not(const struct match *m, const struct value *v)
{
	auto_free char *text = NULL;

	if (m->actual && !matches_value(m, v))
		return true;
	text = format_value(m->field, v);
	return differs(m, v->pos, xasprintf("not %s", text));
}

static bool match_limit(const struct match *m, const struct value *v, bool ok,
			const char *word)
{
	auto_free char *text = NULL;

	if (ok)
		return true;
	text = format_value(m->field, v);
	return differs(m, v->pos, xasprintf("%s %s", word, text));
}

static bool both_int(const struct match *m, const struct value *v)
{
	return m->actual && m->actual->type == VALUE_INT && v->type == VALUE_INT;
}

static bool at_most(const struct field *f, int64_t a, int64_t b)
{
	return f && f->u64 ? (uint64_t)a <= (uint64_t)b : a <= b;
}

static bool match_min(const struct match *m, const struct value *v)
{
	return match_limit(m, v, both_int(m, v) && at_most(m->field, v->i, m->actual->i), "at least");
}

static bool match_max(const struct match *m, const struct value *v)
{
	return match_limit(m, v, both_int(m, v) && at_most(m->field, m->actual->i, v->i), "at most");
}

/* The time that timers of the protocol take, scaled for this machine. */
static bool match_timers(const struct match *m, const struct value *v)
{
	struct tolerance t = {0};

	if (tolerance_read(v, clock_factor(), &t, NULL) == 0 && m->actual &&
	    m->actual->type == VALUE_INT && m->actual->i >= t.min_ms && m->actual->i <= t.max_ms)
		return true;
	return differs(m, v->pos, xasprintf("from %" PRId64 " to %" PRId64, t.min_ms, t.max_ms));
}

static bool match_any_of(const struct match *m, const struct value *v)
{
	char *s = NULL, *text;
	size_t n = 0, i;
	FILE *f;

	for (i = 0; i < v->list.count; i++)
		if (matches_value(m, v->list.item[i]))
			return true;
	f = open_memstream(&s, &n);
	if (!f)
		return differs(m, v->pos, xstrdup("one of several"));
	for (i = 0; i < v->list.count; i++) {
		text = format_value(m->field, v->list.item[i]);
		fprintf(f, "%s%s", i ? " or " : "", text);
		free(text);
	}
	fclose(f);
	return differs(m, v->pos, s);
}

static bool match_why(const struct match *m, const struct value *v)
{
	(void)m;
	(void)v;
	return true;
}

static bool list_contains(const struct match *m, const struct value *v)
{
	struct mismatches ignored = {0};
	size_t i;
	bool ok = false;

	for (i = 0; !ok && i < m->actual->list.count; i++) {
		ok = match_fields(&ignored, m->field ? m->field->sub : NULL, m->path, v,
				  m->actual->list.item[i]);
		mismatches_fini(&ignored);
	}
	return ok;
}

static bool match_contains(const struct match *m, const struct value *v)
{
	const struct value *a = m->actual;
	auto_free char *text = NULL;

	if (a && a->type == VALUE_LIST && v->type == VALUE_MAP && list_contains(m, v))
		return true;
	if (a && a->type == VALUE_STRING && v->type == VALUE_STRING && strstr(a->s, v->s))
		return true;
	if (both_int(m, v) && (a->i & v->i) == v->i)
		return true;
	text = format_value(m->field, v);
	return differs(m, v->pos, xasprintf("containing %s", text));
}

static bool match_count(const struct match *m, const struct value *v)
{
	if (m->actual && m->actual->type == VALUE_LIST && v->type == VALUE_INT &&
	    (int64_t)m->actual->list.count == v->i)
		return true;
	return differs(m, v->pos, xasprintf("%" PRId64 " items",
					    v->type == VALUE_INT ? v->i : 0));
}

static bool match_any(const struct match *m, const struct value *v)
{
	return m->actual || differs(m, v->pos, xstrdup("any value"));
}

static const struct {
	const char *name;
	bool (*match)(const struct match *m, const struct value *operand);
} operators[] = {
	{"any", match_any},
	{"not", match_not},	  {"min", match_min}, {"timers", match_timers}, {"max", match_max},
	{"any_of", match_any_of}, {"why", match_why}, {"contains", match_contains},
	{"count", match_count},
};

static bool match_operators(const struct match *m, const struct value *expect)
{
	const struct value *operand;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(operators); i++) {
		operand = value_get(expect, operators[i].name);
		if (operand && !operators[i].match(m, operand))
			return false;
	}
	return true;
}

static bool match_value(const struct match *m, const struct value *expect)
{
	if (expect->type == VALUE_MAP && !bytes_is_hex(expect))
		return match_operators(m, expect);
	if (expect->type == VALUE_LIST)
		return match_list(m, expect);
	if (m->actual && value_equal(expect, m->actual))
		return true;
	return differs(m, expect->pos, format_value(m->field, expect));
}

/* A failed call has no other fields, so the report leaves those mismatches out. */
static void drop_consequences(struct mismatches *m)
{
	size_t i, kept = 0;
	bool failed = false;

	for (i = 0; i < m->count; i++)
		failed |= strcmp(m->item[i].field, "return") == 0;
	for (i = 0; failed && i < m->count; i++) {
		if (strcmp(m->item[i].field, "return") && strcmp(m->item[i].actual, ABSENT) == 0) {
			free(m->item[i].field);
			free(m->item[i].expected);
			free(m->item[i].actual);
		} else {
			m->item[kept++] = m->item[i];
		}
	}
	if (failed)
		m->count = kept;
}

/* The number -1 is EAI_BADFLAGS, and says that errno has the reason; the errno tells which is meant. */
static void add_errno(struct mismatches *m, const struct step_kind *kind, const struct value *result)
{
	const struct field *f = step_field_find(kind->fields, "return");
	const struct value *error = value_get(result, "errno");
	size_t i;

	if (!f || f->set != &const_return || value_get_int(result, "return", 0) != -1 ||
	    !error || error->type != VALUE_INT || !error->i)
		return;
	for (i = 0; i < m->count; i++) {
		auto_free char *code = NULL, *shown = NULL;

		if (strcmp(m->item[i].field, "return") != 0)
			continue;
		code = m->item[i].actual;
		shown = format_value(step_field_find(kind->fields, "errno"), error);
		m->item[i].actual = xasprintf("%s, errno %s", code, shown);
	}
}

bool expect_match(const struct step_kind *kind, struct pos step_pos,
		  const struct value *expect, const struct value *result,
		  struct mismatches *out)
{
	const struct field *f = step_field_find(kind->fields, "return");
	auto_value struct value *ok = NULL;
	bool good = true;

	if (f && !value_get(expect, "return")) {
		ok = value_int(kind->ok);
		ok->pos = step_pos;
		good = match_value(&(struct match){.out = out,
						   .field = f,
						   .path = "return",
						   .actual = value_get(result, "return")},
				   ok);
	}
	if (expect)
		good &= match_fields(out, kind->fields, "", expect, result);
	drop_consequences(out);
	add_errno(out, kind, result);
	return good;
}

static void show_fields(struct text *out, const struct field *fields, const struct value *map);

static void show_field(struct text *out, const struct field *f, const struct value_member *m)
{
	auto_free char *shown = NULL;
	size_t k;

	text_addf(out, "%s ", m->key);
	if (m->value->type != VALUE_LIST || !f || !f->sub) {
		shown = format_value(f, m->value);
		text_add(out, shown);
		return;
	}
	text_add(out, "[");
	for (k = 0; k < m->value->list.count; k++) {
		text_add(out, k ? "; " : "");
		show_fields(out, f->sub, m->value->list.item[k]);
	}
	text_add(out, "]");
}

static void show_fields(struct text *out, const struct field *fields, const struct value *map)
{
	const struct value_member *m;
	size_t i;

	for (i = 0; map->type == VALUE_MAP && i < map->map.count; i++) {
		m = &map->map.member[i];
		text_add(out, i ? ", " : "");
		show_field(out, step_field_find(fields, m->key), m);
	}
}

/* A reader learns nothing from "return 0" when 0 is success, nor from "errno 0". */
static bool is_obvious(const struct step_kind *kind, const struct value_member *m)
{
	if (m->value->type != VALUE_INT)
		return false;
	return strcmp(m->key, "return") == 0 ? m->value->i == kind->ok :
	       strcmp(m->key, "errno") == 0 && m->value->i == 0;
}

char *expect_result_show(const struct step_kind *kind, const struct value *result)
{
	const struct value_member *m;
	struct text out = {0};
	size_t i;

	for (i = 0; result->type == VALUE_MAP && i < result->map.count; i++) {
		m = &result->map.member[i];
		if (is_obvious(kind, m))
			continue;
		text_add(&out, out.len ? ", " : "");
		show_field(&out, step_field_find(kind->fields, m->key), m);
	}
	return out.s ? out.s : xstrdup(value_get(result, "return") ? "success" : "nothing");
}
