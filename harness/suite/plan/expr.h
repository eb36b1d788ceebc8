/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_PLAN_EXPR_H
#define VBM_PLAN_EXPR_H

#include <stdbool.h>
#include <stddef.h>

#include <verbatim/error.h>

#include "base/value.h"

/*
 * Expressions: how a scenario computes with references. Pure.
 *
 *   $NAME  $HOST.FACT  $HOST.NAME.FIELD   references; a part of a path can be
 *                                         ${NAME} or contain it
 *   ${NAME}  ${HOST.FACT}  ...            the same, if letters or dots follow
 *   1  0x10  "text"                       constants
 *   +  -  *  /  %                         integers only; "x" * 3 repeats a text
 *   &                                     joins texts
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
	struct expr *left, *right;	/* owned; the operators */
};

#define EXPR_DEPTH_MAX 32
#define EXPR_TEXT_MAX 65536	/* bytes of a text, at most */
#define EXPR_REF_MAX 256	/* bytes of a path, at most */

/* Parses the whole of @text. NULL and @err when it is not an expression. */
struct expr *expr_parse(const char *text, struct vbm_error *err);

/*
 * Parses a scalar of a file. NULL without an error when it is plain text. If the
 * scalar begins with a reference, and + - or * follows it, it is arithmetic.
 * "$(...)" is any expression. Everything else is text with references in it;
 * there "$$" makes one "$".
 */
struct expr *expr_parse_scalar(const char *text, struct vbm_error *err);

void expr_free(struct expr *e);

/* Writes the expression as text that expr_parse() reads. The caller frees it. */
char *expr_print(const struct expr *e);

/*
 * Replaces references by their values and computes each part whose values are known.
 * @lookup may change the text of a path (then it stays a reference), return a
 * value that the caller then owns, or do nothing. Negative on errors.
 */
typedef int expr_lookup_fn(void *arg, char **path, struct value **out, struct vbm_error *err);
int expr_reduce(struct expr *e, expr_lookup_fn *lookup, void *arg, struct vbm_error *err);

/* Calls @fn for each reference that is left. */
typedef void expr_ref_fn(void *arg, const char *path);
void expr_refs(const struct expr *e, expr_ref_fn *fn, void *arg);

/* Whether the value is a text, as far as constants and operators show. */
bool expr_is_text(const struct expr *e);

#endif
