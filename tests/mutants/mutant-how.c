/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The language of column "how" of scenarios/mutants.tsv:
 *
 *	CALL: STATEMENT[; STATEMENT]...[ if CONDITION[ and CONDITION]...][ && CALL: ...]
 *
 * A statement is "skip" (the call is not made, and returns 0), "twice" (the call is made two
 * times), "late MS", "unlimited" (the process may have more memory and descriptors during the
 * call), or a change: PLACE OP VALUE, where OP is one of = += -= ^= |= &=.
 * A condition is PLACE OP VALUE, where OP is one of == != < > & (any of these bits).
 * A place is in.MEMBER (changed before the call), out.MEMBER (changed after it), ret,
 * errno, or in conditions nth (the number of this call in this process, from 1) and host
 * (a letter: the host whose process makes the call).
 * A value is a number or a name such as ENOMEM or IBV_WC_SUCCESS.
 */
#include "tests/mutants/mutant.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#define TERMS_MAX 8
#define BREAKS_MAX 96

enum term_kind { TERM_SKIP, TERM_TWICE, TERM_LATE, TERM_UNLIMITED, TERM_CHANGE, TERM_CONDITION };

struct term {
	enum term_kind kind;
	char place[64], op[4];
	int64_t value;
};

struct break_ {
	char call[48];
	struct term term[TERMS_MAX];
	size_t terms;
	int nth;
};

static struct break_ breaks[BREAKS_MAX];
static size_t break_count;

/* Only conditions look at these. */
static bool is_circumstance(const char *place)
{
	return strcmp(place, "nth") == 0 || strcmp(place, "host") == 0;
}

/* Whether a term can be applied before the call. */
static bool is_before(const struct term *t)
{
	return t->kind < TERM_CHANGE || strncmp(t->place, "in.", 3) == 0 || is_circumstance(t->place);
}

static const char *parse_place(struct term *t, const char *text, const char *ops)
{
	char value[48], find[6];

	if (sscanf(text, " %63s %3s %47s", t->place, t->op, value) != 3)
		return "a change or condition is PLACE OP VALUE";
	snprintf(find, sizeof(find), " %s ", t->op);
	if (!strstr(ops, find))
		return "the operator is unknown";
	if (strncmp(t->place, "in.", 3) != 0 && strncmp(t->place, "out.", 4) != 0 &&
	    strcmp(t->place, "ret") != 0 && strcmp(t->place, "errno") != 0 &&
	    (t->kind != TERM_CONDITION || !is_circumstance(t->place)))
		return "a place is in.MEMBER, out.MEMBER, ret or errno";
	return mutant_value(value, &t->value) ? NULL : "the value is neither a number nor a known name";
}

static const char *parse_statement(struct term *t, const char *text)
{
	char word[64];
	int ms;

	text += strspn(text, " ");
	if (sscanf(text, "%63s", word) != 1)
		return "a statement is empty";
	if (strcmp(word, "skip") == 0) {
		t->kind = TERM_SKIP;
	} else if (strcmp(word, "twice") == 0) {
		t->kind = TERM_TWICE;
	} else if (strcmp(word, "unlimited") == 0) {
		t->kind = TERM_UNLIMITED;
	} else if (sscanf(text, "late %d", &ms) == 1) {
		t->kind = TERM_LATE;
		t->value = ms;
	} else {
		t->kind = TERM_CHANGE;
		return parse_place(t, text, " = += -= ^= |= &= ");
	}
	return NULL;
}

/* Parses the parts of @text between @separator. */
static const char *parse_list(struct break_ *b, char *text, const char *separator, bool conditions)
{
	const char *wrong = NULL;
	struct term *t;
	char *end;

	for (; text && !wrong; text = end) {
		end = strstr(text, separator);
		if (end) {
			*end = '\0';
			end += strlen(separator);
		}
		if (b->terms == TERMS_MAX)
			return "there are too many statements and conditions";
		t = &b->term[b->terms++];
		t->kind = TERM_CONDITION;
		wrong = conditions ? parse_place(t, text, " == != < > & ") : parse_statement(t, text);
	}
	return wrong;
}

/* A change before the call cannot depend on the answer. */
static const char *check_order(const struct break_ *b)
{
	bool late = false;
	size_t i;

	for (i = 0; i < b->terms; i++)
		late |= b->term[i].kind == TERM_CONDITION && !is_before(&b->term[i]);
	for (i = 0; i < b->terms; i++)
		if (late && b->term[i].kind != TERM_CONDITION && is_before(&b->term[i]))
			return "what happens before the call depends on a condition after it";
	return NULL;
}

static const char *parse_break(struct break_ *b, char *text)
{
	const char *wrong = NULL;
	char *body = strchr(text, ':'), *conditions;

	if (!body || sscanf(text, " %47[a-z_]", b->call) != 1)
		return "a break begins with CALL:";
	*body++ = '\0';
	conditions = strstr(body, " if ");
	if (conditions) {
		*conditions = '\0';
		wrong = parse_list(b, conditions + 4, " and ", true);
	}
	if (!wrong)
		wrong = parse_list(b, body, ";", false);
	return wrong ? wrong : check_order(b);
}

static const char *take(struct break_ *out, size_t max, size_t *count, const char *how)
{
	char text[512], *at = text, *part;
	const char *wrong = NULL;

	snprintf(text, sizeof(text), "%s", how);
	while (!wrong && at) {
		part = at;
		at = strstr(part, " && ");
		if (at) {
			*at = '\0';
			at += 4;
		}
		if (*count == max)
			return "too many breaks are on";
		wrong = parse_break(&out[(*count)++], part);
	}
	return wrong;
}

const char *mutant_take(const char *how)
{
	return take(breaks, BREAKS_MAX, &break_count, how);
}

const char *mutant_how_error(const char *how)
{
	struct break_ scratch[4] = {0};
	size_t count = 0;

	return take(scratch, 4, &count, how);
}

/* The place of a member, or NULL when its structure is absent. A member that no part has ends the program. */
static void *find(const struct mutant_call *c, const struct mutant_part *parts, const char *member,
		  size_t *size)
{
	const struct mutant_field *f;
	bool absent = false;
	size_t i;

	for (i = 0; i < MUTANT_PARTS && parts[i].fields; i++)
		for (f = parts[i].fields; f->name; f++) {
			if (strcmp(f->name, member) != 0)
				continue;
			*size = f->size < 8 ? f->size : 8;
			if (parts[i].base)
				return (char *)parts[i].base + f->offset;
			absent = true;
		}
	/* A call that was not made has no answer. */
	if (absent || parts == c->out)
		return NULL;
	fprintf(stderr, "mutants: %s has no member %s\n", c->name, member);
	abort();
}

static void *place_of(struct mutant_call *c, const char *place, size_t *size)
{
	*size = sizeof(c->ret);
	if (strcmp(place, "ret") == 0)
		return &c->ret;
	*size = sizeof(c->err);
	if (strcmp(place, "errno") == 0)
		return &c->err;
	if (strncmp(place, "in.", 3) == 0)
		return find(c, c->in, place + 3, size);
	return find(c, c->out, place + 4, size);
}

/* Small numbers are not extended with a sign, except what calls return and errno. */
static int64_t read_place(const void *at, size_t size)
{
	int64_t value = 0;

	memcpy(&value, at, size);
	return value;
}

/* The agent of host b is called "verbatim-b". */
static char host_letter(void)
{
	char name[16] = "";
	const char *end;

	prctl(PR_GET_NAME, name);
	end = strchr(name, '-');
	return end ? end[1] : '\0';
}

static bool holds(struct mutant_call *c, const struct break_ *b, const struct term *t)
{
	size_t size = 0;
	int64_t value = strcmp(t->place, "nth") == 0 ? b->nth : host_letter(), wanted = t->value;
	void *at;

	if (!is_circumstance(t->place)) {
		at = place_of(c, t->place, &size);
		if (!at)
			return false;
		value = read_place(at, size);
		if (size < sizeof(wanted))
			wanted &= (INT64_C(1) << (size * 8)) - 1;
	}
	switch (t->op[0]) {
	case '=': return value == wanted;
	case '!': return value != wanted;
	case '<': return value < wanted;
	case '>': return value > wanted;
	default: return value & wanted;
	}
}

static bool applies(struct mutant_call *c, const struct break_ *b, bool before)
{
	size_t i;

	if (strcmp(b->call, c->name) != 0)
		return false;
	for (i = 0; i < b->terms; i++)
		if (b->term[i].kind == TERM_CONDITION &&
		    ((before && !is_before(&b->term[i])) || !holds(c, b, &b->term[i])))
			return false;
	return true;
}

static void change(struct mutant_call *c, const struct term *t)
{
	size_t size = 0;
	void *at = place_of(c, t->place, &size);
	int64_t value;

	if (!at)
		return;
	value = read_place(at, size);
	switch (t->op[0]) {
	case '=': value = t->value; break;
	case '+': value += t->value; break;
	case '-': value -= t->value; break;
	case '^': value ^= t->value; break;
	case '|': value |= t->value; break;
	default: value &= t->value; break;
	}
	/* The lower bytes come first on the machines that this is for. */
	memcpy(at, &value, size);
}

/* A scenario that takes these away gives them back after the call. */
static void lift_limits(void)
{
	static const int kinds[] = {RLIMIT_NOFILE, RLIMIT_AS};
	struct rlimit limit;
	size_t i;

	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		getrlimit(kinds[i], &limit);
		limit.rlim_cur = limit.rlim_max;
		setrlimit(kinds[i], &limit);
	}
}

static bool first_run(struct mutant_call *c)
{
	bool made = true;
	struct break_ *b;
	size_t i;

	for (b = breaks; b < breaks + break_count; b++) {
		if (strcmp(b->call, c->name) == 0)
			b->nth++;
		if (!applies(c, b, true))
			continue;
		for (i = 0; i < b->terms; i++) {
			struct term *t = &b->term[i];

			if (t->kind == TERM_LATE)
				mutant_late((int)t->value);
			else if (t->kind == TERM_UNLIMITED)
				lift_limits();
			else if (t->kind == TERM_CHANGE && is_before(t))
				change(c, t);
			made &= t->kind != TERM_SKIP;
		}
	}
	return made;
}

static bool wants_twice(struct mutant_call *c)
{
	struct break_ *b;
	size_t i;

	for (b = breaks; b < breaks + break_count; b++)
		for (i = 0; i < b->terms && applies(c, b, true); i++)
			if (b->term[i].kind == TERM_TWICE)
				return true;
	return false;
}

bool mutant_begin(struct mutant_call *c)
{
	int err = errno;
	bool made;

	if (c->runs == 0)
		made = first_run(c);
	else
		made = c->runs == 1 && wants_twice(c);
	c->err = err;
	c->runs++;
	errno = err;
	return made;
}

intptr_t mutant_end(struct mutant_call *c)
{
	struct break_ *b;
	size_t i;

	c->err = errno;
	for (b = breaks; b < breaks + break_count; b++) {
		bool on = applies(c, b, false);

		for (i = 0; on && i < b->terms; i++)
			if (b->term[i].kind == TERM_CHANGE && !is_before(&b->term[i]))
				change(c, &b->term[i]);
	}
	errno = c->err;
	return c->ret;
}
