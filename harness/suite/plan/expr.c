/* SPDX-License-Identifier: BSD-2-Clause */
#include "plan/expr.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "lib/base/fail.h"

static void print(struct text *out, const struct expr *e)
{
	const char *s;

	if (e->op == EXPR_REF) {
		text_addf(out, "%s%s", *e->ref == '$' ? "" : "$", e->ref);
	} else if (e->op != EXPR_CONST) {
		text_add(out, "(");
		print(out, e->left);
		text_addf(out, " %c ", (char)e->op);
		print(out, e->right);
		text_add(out, ")");
	} else if (e->constant->type == VALUE_INT && e->constant->i < 0) {
		text_addf(out, "0x%" PRIx64, (uint64_t)e->constant->i);
	} else if (e->constant->type == VALUE_INT) {
		text_addf(out, "%" PRId64, e->constant->i);
	} else {
		text_add(out, "\"");
		for (s = e->constant->type == VALUE_STRING ? e->constant->s : ""; *s; s++)
			text_addf(out, "%s%c", *s == '"' || *s == '\\' ? "\\" : "", *s);
		text_add(out, "\"");
	}
}

char *expr_print(const struct expr *e)
{
	struct text out = {0};

	print(&out, e);
	return out.s;
}

static int both_ints(const struct expr *e, struct value **out, struct vbm_error *err)
{
	int64_t a = e->left->constant->i, b = e->right->constant->i, r = 0;

	if ((e->op == EXPR_DIV || e->op == EXPR_MOD) && b == 0)
		return vbm_fail(err, EINVAL, "a division by zero");
	switch (e->op) {
	case EXPR_ADD:
		r = (int64_t)((uint64_t)a + (uint64_t)b);
		break;
	case EXPR_SUB:
		r = (int64_t)((uint64_t)a - (uint64_t)b);
		break;
	case EXPR_MUL:
		r = (int64_t)((uint64_t)a * (uint64_t)b);
		break;
	case EXPR_DIV:
		r = b == -1 ? (int64_t)(0 - (uint64_t)a) : a / b;
		break;
	case EXPR_MOD:
		r = b == -1 ? 0 : a % b;
		break;
	case EXPR_CAT:
	case EXPR_CONST:
	case EXPR_REF:
		break;
	}
	*out = value_int(r);
	return 0;
}

static int repeat_text(const struct expr *e, struct value **out, struct vbm_error *err)
{
	const char *s = e->left->constant->s;
	int64_t n = e->right->constant->i;
	struct text sum auto_text = {0};

	if (n < 0 || (*s && n > (int64_t)(EXPR_TEXT_MAX / strlen(s))))
		return vbm_fail(err, EINVAL, "the text is longer than %d bytes, or the count is negative",
				EXPR_TEXT_MAX);
	while (*s && n-- > 0)
		text_add(&sum, s);
	*out = value_string(sum.s ? sum.s : "");
	return 0;
}

/* Joins both sides as text. A number keeps the spelling of the file: 0x10 stays 0x10. */
static int join_texts(const struct expr *e, struct value **out, struct vbm_error *err)
{
	const struct expr *part[2] = {e->left, e->right};
	struct text sum auto_text = {0};
	const struct value *v;
	int i;

	for (i = 0; i < 2; i++) {
		v = part[i]->constant;
		if (v->type == VALUE_STRING)
			text_add(&sum, v->s);
		else if (v->type == VALUE_INT && v->text)
			text_add(&sum, v->text);
		else if (v->type == VALUE_INT)
			text_addf(&sum, "%" PRId64, v->i);
		else if (v->type == VALUE_BOOL)
			text_add(&sum, v->b ? "true" : "false");
		else
			return vbm_fail(err, EINVAL, "%s %s cannot stand inside a text",
					v->type == VALUE_NULL ? "" : "a",
					value_type_name(v->type));
	}
	if (sum.len > EXPR_TEXT_MAX)
		return vbm_fail(err, EINVAL, "the text is longer than %d bytes", EXPR_TEXT_MAX);
	*out = value_string(sum.s ? sum.s : "");
	return 0;
}

static int compute(const struct expr *e, struct value **out, struct vbm_error *err)
{
	enum value_type a = e->left->constant->type, b = e->right->constant->type;

	if (e->op == EXPR_CAT)
		return join_texts(e, out, err);
	if (a == VALUE_INT && b == VALUE_INT)
		return both_ints(e, out, err);
	if (e->op == EXPR_MUL && a == VALUE_STRING && b == VALUE_INT)
		return repeat_text(e, out, err);
	return vbm_fail(err, EINVAL, "'%c' takes two integers%s, not a %s and a %s", (char)e->op,
			e->op == EXPR_MUL ? ", or a text and an integer" : "", value_type_name(a),
			value_type_name(b));
}

static void become(struct expr *e, struct value *v)
{
	expr_free(e->left);
	expr_free(e->right);
	free(e->ref);
	*e = (struct expr){.op = EXPR_CONST, .constant = v};
}

/* The value of a variable may itself be an expression: "$b.ip". Takes over @v, after a failure, too. */
static int become_expr(struct expr *e, struct value *v, struct vbm_error *err)
{
	struct expr *inner = expr_parse(v->s, err);

	value_free(v);
	if (!inner)
		return -err->code;
	free(e->ref);
	*e = *inner;
	free(inner);
	return 0;
}

int expr_reduce(struct expr *e, expr_lookup_fn *lookup, void *arg, struct vbm_error *err)
{
	struct value *v = NULL;
	int ret;

	if (e->op == EXPR_CONST)
		return 0;
	if (e->op == EXPR_REF) {
		ret = lookup(arg, &e->ref, &v, err);
	} else {
		ret = expr_reduce(e->left, lookup, arg, err);
		if (ret == 0)
			ret = expr_reduce(e->right, lookup, arg, err);
		if (ret == 0 && e->left->op == EXPR_CONST && e->right->op == EXPR_CONST)
			ret = compute(e, &v, err);
	}
	if (ret == 0 && v && v->type == VALUE_EXPR)
		return become_expr(e, v, err);
	if (v)
		become(e, v);
	return ret;
}

void expr_refs(const struct expr *e, expr_ref_fn *fn, void *arg)
{
	if (e->op == EXPR_REF)
		fn(arg, e->ref);
	if (e->left)
		expr_refs(e->left, fn, arg);
	if (e->right)
		expr_refs(e->right, fn, arg);
}

bool expr_is_text(const struct expr *e)
{
	if (e->op == EXPR_CONST)
		return e->constant->type == VALUE_STRING;
	return e->op == EXPR_CAT || (e->op == EXPR_MUL && expr_is_text(e->left));
}
