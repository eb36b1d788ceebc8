/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_PLAN_EXPR_H
#define VBM_PLAN_EXPR_H

#include <stdbool.h>
#include <stddef.h>

#include <verbatim/error.h>

#include "base/value.h"

/*
 * Expressions: what a scenario writes around references. Pure.
 *
 *   $NAME  $HOST.FACT  $HOST.NAME.FIELD   references; a part of a path can be
 *                                         ${NAME} or contain it
 *   ${NAME}  ${HOST.FACT}  ...            the same, where letters or dots follow
 *   1  0x10  "text"                       constants
 *   +  -  *  /  %                         of integers; "x" * 3 repeats a text
 *   &                                     puts texts together
 *   ( )
 */
enum expr_op {
	EXPR_CONST,
	EXPR_REF,
	EXPR_ADD = '+',
	EXPR_SUB = '-',
	EXPR_MUL = '*',
	EXPR_DIV = '/',
	EXPR_MOD = '%',
	EXPR_CAT = '&',
};

struct expr {
	enum expr_op op;
	struct value *constant;		/* owned; CONST */
	char *ref;			/* owned; REF: the path without its "$" */
	struct expr *left, *right;	/* owned; else */
};

#define EXPR_DEPTH_MAX 32
#define EXPR_TEXT_MAX 65536	/* bytes that a text may become */
#define EXPR_REF_MAX 256	/* bytes of a path */

/* The whole of @text; NULL and @err when it is none. */
struct expr *expr_parse(const char *text, struct vbm_error *err);

/*
 * What a scalar of a file says: NULL without an error when it is plain text.
 * A scalar that begins with a reference and goes on with + - * is arithmetic,
 * "$(...)" is any expression, everything else is text with references in it, in
 * which "$$" stands for one "$".
 */
struct expr *expr_parse_scalar(const char *text, struct vbm_error *err);

void expr_free(struct expr *e);

/* The text that expr_parse() reads; the caller frees it. */
char *expr_print(const struct expr *e);

/*
 * Replace references by what they stand for and compute what can be computed.
 * @lookup may replace the text of a path (then it stays a reference), answer
 * with a value that the caller owns, or leave it alone. Negative on errors.
 */
typedef int expr_lookup_fn(void *arg, char **path, struct value **out, struct vbm_error *err);
int expr_reduce(struct expr *e, expr_lookup_fn *lookup, void *arg, struct vbm_error *err);

/* Calls @fn for each reference that is left. */
typedef void expr_ref_fn(void *arg, const char *path);
void expr_refs(const struct expr *e, expr_ref_fn *fn, void *arg);

/* Whether its value is a text, as far as constants and operators tell. */
bool expr_is_text(const struct expr *e);

#endif
