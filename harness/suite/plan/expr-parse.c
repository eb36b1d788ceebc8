/* SPDX-License-Identifier: BSD-2-Clause */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "base/xalloc.h"
#include "lib/base/fail.h"
#include "plan/expr.h"

#define LOWER "abcdefghijklmnopqrstuvwxyz"
#define DIGITS "0123456789"
#define NAME LOWER DIGITS "_"

struct parser {
	const char *at;
	const char *ops;	/* operators that may stand in this text */
	bool spaces;		/* blanks may stand between the parts */
	int depth;
	struct vbm_error *err;
};

static struct expr *parse_binary(struct parser *p, int level);

static struct expr *new_const(struct value *v)
{
	struct expr *e = xcalloc(1, sizeof(*e));

	e->op = EXPR_CONST;
	e->constant = v;
	return e;
}

void expr_free(struct expr *e)
{
	if (!e)
		return;
	value_free(e->constant);
	free(e->ref);
	expr_free(e->left);
	expr_free(e->right);
	free(e);
}

static void blanks(struct parser *p)
{
	while (p->spaces && *p->at == ' ')
		p->at++;
}

static struct expr *fail_parse(struct parser *p, const char *what)
{
	vbm_fail(p->err, EINVAL, "%s%s%.20s%s", what, *p->at ? " at '" : " at the end", p->at,
		 *p->at ? "'" : "");
	return NULL;
}

/* The length of one part of a path: letters and "${NAME}" in any order, or "$NAME". */
static size_t path_part(const char *s, bool first)
{
	size_t n = 0, k;

	if (first)
		return strspn(s, NAME);
	if (*s == '$' && s[1] != '{')
		return strspn(s + 1, NAME) ? 1 + strspn(s + 1, NAME) : 0;
	for (;;) {
		k = strspn(s + n, NAME);
		n += k;
		if (s[n] == '$' && s[n + 1] == '{') {
			k = strspn(s + n + 2, NAME);
			if (!k || s[n + 2 + k] != '}')
				return 0;
			n += k + 3;
		} else if (!k) {
			return n;
		}
	}
}

/* The length of the path at @s, which follows a "$"; 0 if no path begins there. */
static size_t path_length(const char *s)
{
	size_t n = path_part(s, true), k;

	while (n && s[n] == '.') {
		k = path_part(s + n + 1, false);
		if (!k)
			break;
		n += 1 + k;
	}
	return n < EXPR_REF_MAX ? n : 0;
}

/*
 * "${NAME}" is a variable: it keeps its braces, and no path follows them.
 * "${PATH}" is a path that ends at the brace.
 */
static struct expr *parse_braced(struct parser *p)
{
	const char *path = p->at + 2;
	size_t n = path_length(path);
	struct expr *e;

	if (!n || path[n] != '}')
		return fail_parse(p, "not a reference");
	e = xcalloc(1, sizeof(*e));
	e->op = EXPR_REF;
	e->ref = memchr(path, '.', n) ? xstrndup(path, n) : xstrndup(p->at, n + 3);
	p->at = path + n + 1;
	return e;
}

static struct expr *parse_ref(struct parser *p)
{
	const char *from = p->at + 1;
	size_t n = path_length(from);
	struct expr *e;

	if (*from == '{')
		return parse_braced(p);
	if (!n)
		return fail_parse(p, "not a reference");
	e = xcalloc(1, sizeof(*e));
	e->op = EXPR_REF;
	e->ref = xstrndup(from, n);
	p->at = from + n;
	return e;
}

static struct expr *parse_number(struct parser *p)
{
	bool hex = p->at[0] == '0' && p->at[1] == 'x';
	char *end;
	int64_t i;

	errno = 0;
	i = (int64_t)strtoull(p->at, &end, hex ? 16 : 10);
	if (errno)
		return fail_parse(p, "a number of more than 64 bits");
	p->at = end;
	return new_const(value_int(i));
}

static struct expr *parse_quoted(struct parser *p)
{
	struct text out auto_text = {0};

	for (p->at++; *p->at && *p->at != '"'; p->at++) {
		if (*p->at == '\\' && p->at[1])
			p->at++;
		text_add_bytes(&out, p->at, 1);
	}
	if (!*p->at)
		return fail_parse(p, "a text without its closing quote");
	p->at++;
	return new_const(value_string(out.s ? out.s : ""));
}

static struct expr *parse_group(struct parser *p)
{
	struct parser inner = {.at = p->at + 1, .ops = "+-*/%&", .spaces = true,
			       .depth = p->depth, .err = p->err};
	struct expr *e = parse_binary(&inner, 0);

	p->at = inner.at;
	if (!e)
		return NULL;
	p->at += strspn(p->at, " ");
	if (*p->at != ')') {
		expr_free(e);
		return fail_parse(p, "')' is missing");
	}
	p->at++;
	return e;
}

static struct expr *parse_primary(struct parser *p)
{
	blanks(p);
	if (++p->depth > EXPR_DEPTH_MAX)
		return fail_parse(p, "nested too deep");
	if (*p->at == '$' && p->at[1] == '(') {
		p->at++;
		return parse_group(p);
	}
	if (*p->at == '$')
		return parse_ref(p);
	if (isdigit((unsigned char)*p->at))
		return parse_number(p);
	if (*p->at == '"')
		return parse_quoted(p);
	if (*p->at == '(')
		return parse_group(p);
	return fail_parse(p, "a number, a text or a reference is missing");
}

/* Operators from the loosest to the tightest. */
static const char *const levels[] = {"&", "+-", "*/%"};

static struct expr *parse_binary(struct parser *p, int level)
{
	struct expr *left, *right, *e;
	int depth = p->depth;
	const char *before;
	char op;

	if (level == (int)ARRAY_SIZE(levels))
		return parse_primary(p);
	left = parse_binary(p, level + 1);
	while (left) {
		before = p->at;
		blanks(p);
		op = *p->at;
		if (!op || !strchr(levels[level], op) || !strchr(p->ops, op)) {
			p->at = before;
			break;
		}
		p->at++;
		right = parse_binary(p, level + 1);
		if (!right) {
			expr_free(left);
			return NULL;
		}
		e = xcalloc(1, sizeof(*e));
		e->op = (enum expr_op)op;
		e->left = left;
		e->right = right;
		left = e;
		/* The tree of a chain grows to the left, a level for each operator. */
		p->depth = ++depth;
		if (depth > EXPR_DEPTH_MAX) {
			expr_free(left);
			return fail_parse(p, "the expression is too long");
		}
	}
	return left;
}

struct expr *expr_parse(const char *text, struct vbm_error *err)
{
	struct parser p = {.at = text, .ops = "+-*/%&", .spaces = true, .err = err};
	struct expr *e = parse_binary(&p, 0);

	if (!e)
		return NULL;
	blanks(&p);
	if (!*p.at)
		return e;
	expr_free(e);
	return fail_parse(&p, "an operator is missing");
}

/* Parses "$i*64+$b.q_mr.addr", or one "$(...)". */
static struct expr *parse_direct(const char *text)
{
	struct parser p = {.at = text, .ops = "+-*", .spaces = true};
	struct expr *e = parse_binary(&p, 0);

	if (e && !*p.at)
		return e;
	expr_free(e);
	return NULL;
}

static void append_part(struct expr **sum, struct expr *part)
{
	struct expr *e;

	if (!*sum) {
		*sum = part;
		return;
	}
	e = xcalloc(1, sizeof(*e));
	e->op = EXPR_CAT;
	e->left = *sum;
	e->right = part;
	*sum = e;
}

static void flush_text(struct expr **sum, struct text *pending)
{
	if (!pending->len)
		return;
	append_part(sum, new_const(value_string(pending->s)));
	text_clear(pending);
}

/* Parses a text with references in it. */
static struct expr *parse_template(const char *text, struct vbm_error *err)
{
	struct parser p = {.at = text, .err = err};
	struct text pending auto_text = {0};
	struct expr *sum = NULL, *part;
	int parts = 0;

	while (*p.at) {
		if (p.at[0] == '$' && p.at[1] == '$') {
			text_add(&pending, "$");
			p.at += 2;
		} else if (p.at[0] != '$' || (p.at != text && !isalpha((unsigned char)p.at[1]) &&
					      p.at[1] != '{' && p.at[1] != '(' && p.at[1] != '_')) {
			text_add_bytes(&pending, p.at++, 1);
		} else {
			flush_text(&sum, &pending);
			p.depth = 0;
			part = ++parts < EXPR_DEPTH_MAX ? parse_primary(&p) :
							  fail_parse(&p, "too many references");
			if (!part) {
				expr_free(sum);
				return NULL;
			}
			append_part(&sum, part);
		}
	}
	/* A template makes a text, also when its only part is a number. */
	if (sum || !pending.len)
		append_part(&sum, new_const(value_string("")));
	flush_text(&sum, &pending);
	return sum;
}

struct expr *expr_parse_scalar(const char *text, struct vbm_error *err)
{
	struct expr *e = NULL;

	if (!strchr(text, '$'))
		return NULL;
	if (text[0] == '$' && text[1] != '$')
		e = parse_direct(text);
	return e ? e : parse_template(text, err);
}
