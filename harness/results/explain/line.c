/* SPDX-License-Identifier: BSD-2-Clause */
#include <ctype.h>
#include <fnmatch.h>
#include <netdb.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>
#include <infiniband/verbs.h>

#include "base/cleanup.h"
#include "base/value.h"
#include "base/xalloc.h"
#include "explain/explain.h"

/* A line, and what was found in it. */
struct explain_line {
	const struct survey *survey;
	const struct coverage *coverage;
	const char *text;
	const char *code;	/* an errno, an event: it chooses among the causes of a call; or NULL */
	struct value *calls, *codes, *others;	/* owned */
};

static bool has_str(const struct explain_line *l, const char *part)
{
	return strcasestr(l->text, part) != NULL;
}

static void found(struct explain_line *l, const struct const_set *set, int64_t value)
{
	const char *name = const_name(set, value);

	if (name && (set == &const_errno || (set == &const_cm_event && !l->code)))
		l->code = name;
	explain_brief(l->codes, set, value);
}

/* The text of another errno may be part of a longer one: "No such device or address". */
static bool is_part(const struct explain_line *l, int64_t value)
{
	const char *text = strerror((int)value);
	auto_free char *own = xstrdup(text);
	size_t i;

	for (i = 0; i < const_errno.count; i++) {
		text = strerror((int)const_errno.entry[i].value);
		if (strlen(text) > strlen(own) && strcasestr(text, own) && has_str(l, text))
			return true;
	}
	return false;
}

static void find_texts(struct explain_line *l)
{
	const char *text;
	int64_t value;
	size_t i;

	for (i = 0; i < const_errno.count; i++) {
		value = const_errno.entry[i].value;
		if (value > 0 && has_str(l, strerror((int)value)) && !is_part(l, value))
			found(l, &const_errno, value);
	}
	for (i = 0; i < const_return.count; i++) {
		value = const_return.entry[i].value;
		if (value < 0 && value != EAI_SYSTEM && strcmp(gai_strerror((int)value), "Unknown error") &&
		    has_str(l, gai_strerror((int)value)))
			found(l, &const_return, value);
	}
	for (i = 0; i < const_wc_status.count; i++) {
		value = const_wc_status.entry[i].value;
		text = ibv_wc_status_str((enum ibv_wc_status)value);
		/* Compilers, too, have fatal errors. */
		if (value && has_str(l, text) && (strlen(text) > strlen("aborted error") || has_str(l, "status")))
			found(l, &const_wc_status, value);
	}
	for (i = 0; i < const_async_event.count; i++) {
		value = const_async_event.entry[i].value;
		if (has_str(l, "event") && has_str(l, ibv_event_type_str((enum ibv_event_type)value)))
			found(l, &const_async_event, value);
	}
}

/* A number after a word: "status 12", "error: -110", "vend 0x81". */
static void take_number(struct explain_line *l, const char *word, const char *number)
{
	int64_t n = strtoll(number, NULL, !strncasecmp(number + (*number == '-'), "0x", 2) ? 16 : 10);

	if (!strncasecmp(word, "vend", 4) || !strncasecmp(word, "synd", 4))
		found(l, &const_wc_status, explain_vendor_status(n));
	else if (n > 0 && has_str(l, "REJECTED"))
		explain_reason(l->codes, n);
	else if (n > 0 && !strncasecmp(word, "status", 6) && !has_str(l, "RDMA_CM_EVENT") && !has_str(l, "ended with"))
		found(l, &const_wc_status, n);
	else if (n < 0 && has_str(l, "getaddrinfo"))
		found(l, &const_return, n);
	else if (n && !has_str(l, "ended with"))
		found(l, &const_errno, n < 0 ? -n : n);
}

static void find_numbers(struct explain_line *l)
{
	static const char pattern[] =
		"(^|[^a-z])(status|error|errno|rc|ret|returned|code|vend|vendor[_ ]err|synd|syndrom|syndrome)"
		"[ =:]*[[(]?(-?(0x[0-9a-f]+|[0-9]+))($|[^0-9a-z.])";
	regmatch_t at[6];
	const char *p;
	regex_t r;

	if (regcomp(&r, pattern, REG_EXTENDED | REG_ICASE) != 0)
		return;
	for (p = l->text; regexec(&r, p, 6, at, 0) == 0; p += at[3].rm_eo)
		take_number(l, p + at[2].rm_so, p + at[3].rm_so);
	regfree(&r);
	/* ibv_rc_pingpong: "Failed status ... (12) for wr_id 2"; others: "... [110]". */
	if (regcomp(&r, "[[(](-?[0-9][0-9]+)[])]", REG_EXTENDED) != 0)
		return;
	if (!l->codes->list.count && regexec(&r, l->text, 2, at, 0) == 0)
		take_number(l, has_str(l, "wr_id") ? "status" : "errno", l->text + at[1].rm_so);
	regfree(&r);
}

/* Names in capitals, whole: ENOMEM, IBV_WC_RETRY_EXC_ERR, RETRY_EXC_ERR, EAI_AGAIN. */
static void find_constant(struct explain_line *l, const char *word)
{
	const struct const_set *const *set;
	size_t i, n;

	for (set = const_sets; *set; set++)
		for (i = 0, n = strlen((*set)->prefix); i < (*set)->count; i++) {
			const char *name = (*set)->entry[i].name;
			bool full = !strncmp(word, (*set)->prefix, n) && !strcmp(word + n, name);
			bool bare = !strcmp(word, name) && strchr(name, '_');

			if ((full && (n || *set == &const_errno)) || bare)
				found(l, *set, (*set)->entry[i].value);
		}
}

static void add_entry(struct explain_line *l, const struct explanation *e, const char *word, const char *what)
{
	e = explanation_find(e, word);
	if (e)
		explain_take(l->others, explain_entry(e, what));
}

static void find_clause(struct explain_line *l, const char *word)
{
	const struct clause *clause = clause_find(&l->survey->clauses, word);
	struct value *m;

	if (!clause)
		return;
	m = value_map();
	value_set_string(m, "name", clause->id);
	value_set(m, "what", value_format_string("clause, area %s", clause->area));
	value_set_string(m, "meaning", clause->statement);
	value_set(m, "more", value_format_string("verbatim explain %s", clause->id));
	explain_take(l->others, m);
}

static void find_word(struct explain_line *l, const char *word)
{
	find_constant(l, word);
	find_clause(l, word);
	add_entry(l, explain_counter, word, "counter of rxe");
	explain_finding_add(l->others, l->survey, word);
	explain_scenario_add(l->others, l->survey, word);
	if (!strncmp(word, "ibv_", 4) || !strncmp(word, "rdma_", 5))
		value_append(l->calls, value_string(word));
}

/* Whether @c can be in the name of a thing; names of variants have "[ip=4,qp=UD]". */
static bool is_word(char c)
{
	return isalnum((unsigned char)c) || (c && strchr("_-/[]=,.", c));
}

static void find_words(struct explain_line *l)
{
	const char *p, *end;

	for (p = l->text; *p; p = end) {
		auto_free char *word = NULL;
		size_t n;

		for (; *p && !isalnum((unsigned char)*p); p++)
			;
		for (end = p; is_word(*end); end++)
			;
		word = xstrndup(p, (size_t)(end - p));
		for (n = strlen(word); n && strchr(".,-/=", word[n - 1]); n--)
			word[n - 1] = '\0';
		find_word(l, word);
		n = strcspn(word, "[=,");
		if (word[n]) {
			word[n] = '\0';
			find_word(l, word);
		}
	}
}

/* The verdict with which a line of a report begins. */
static void find_verdict(struct explain_line *l)
{
	const char *p = l->text + strspn(l->text, " \t");
	auto_free char *word = xstrndup(p, strcspn(p, " \t:"));

	if (!strncmp(p, "not ok", 6) && !has_str(l, "TODO"))
		add_entry(l, explain_verdict, "FAIL", "verdict");
	else if (strcmp(word, "ERROR") != 0 || strchr(p, '/'))
		add_entry(l, explain_verdict, word, "verdict");
}

static void find_patterns(struct explain_line *l, struct value *calls)
{
	const struct program_text *t;

	for (t = explain_text_of; t->pattern; t++) {
		if (fnmatch(t->pattern, l->text, FNM_CASEFOLD) != 0)
			continue;
		explain_call_add(calls, l->coverage, t->name, t->to, l->code);
		find_constant(l, t->name);
		add_entry(l, explain_message, t->name, "message");
	}
}

void explain_line(struct value *list, const struct survey *s, const struct coverage *c, const char *line)
{
	struct explain_line l = {
		.survey = s, .coverage = c, .text = line,
		.calls = value_list(), .codes = value_list(), .others = value_list(),
	};
	struct value *calls = value_list(), *parts[3];
	const char *to;
	size_t i, k;

	find_texts(&l);
	find_words(&l);
	find_numbers(&l);
	find_patterns(&l, calls);
	find_verdict(&l);
	to = has_str(&l, "RTR") ? "RTR" : has_str(&l, "RTS") ? "RTS" : has_str(&l, "INIT") ? "INIT" : NULL;
	for (i = 0; i < l.calls->list.count; i++)
		explain_call_add(calls, c, l.calls->list.item[i]->s, to, l.code);
	parts[0] = calls;
	parts[1] = l.codes;
	parts[2] = l.others;
	for (k = 0; k < ARRAY_SIZE(parts); k++) {
		for (i = 0; i < parts[k]->list.count; i++)
			explain_take(list, value_dup(parts[k]->list.item[i]));
		value_free(parts[k]);
	}
	value_free(l.calls);
}
