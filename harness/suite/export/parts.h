/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_EXPORT_PARTS_H
#define VBM_EXPORT_PARTS_H

#include <stdbool.h>

#include <verbatim/error.h>

#include "base/text.h"
#include "plan/plan.h"
#include "step/step.h"

/* The files of export share these declarations. No other room includes this header. */
struct export {
	const struct variant *v;
	size_t at;			/* the present item */
	struct text body;
	struct value *objects;		/* owned; name of a C variable -> its type */
	struct value *refs;		/* owned; the references of the variant: "a.q.qp_num" -> true */
	struct value *kept;		/* owned; those whose value the program keeps */
	struct value *taken;		/* owned; the arguments that the present call has used */
	char *fail;			/* owned; the point at which the next call of host @fail_host fails in the kernel, or NULL */
	char fail_host;
	struct vbm_error *err;
	int rc;				/* the first error, which @err has */
};

/* scalar.c: the present item, and the block in which its calls are written. */
const struct item *export_item(const struct export *x);
char export_host(const struct export *x);	/* 'a' */

/* The present step cannot be written; the first reason counts. */
void export_refuse(struct export *x, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Appends a line of the present block, with its tabs and newline. */
void export_line(struct export *x, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* scalar.c: a number, a flag, a constant or an expression in C. The caller frees it. */
char *export_scalar(struct export *x, const struct value *v, const struct const_set *set);

/* The name in C of the value of a reference: "V_a_q_qp_num" for "a.q.qp_num". The caller frees it. */
char *export_variable(const char *path);

/* The argument in C, or @fallback if the step does not have it. The caller frees it. */
char *export_arg(struct export *x, const char *name, const char *fallback);
bool export_has_arg(const struct export *x, const char *name);
/* An argument that changes how the step calls, but not what. */
void export_ignore_arg(struct export *x, const char *name);

/* scalar.c: the C variable of the object that an argument names or leaves out. The caller frees it. */
char *export_object(struct export *x, const char *name, enum object_kind kind);
/* The item that made the object of that argument. */
const struct item *export_maker(struct export *x, const char *name, enum object_kind kind);
/* The C variable of the object that the present item makes, of @type; declares it. The caller frees it. */
char *export_made(struct export *x, const char *type);

/* expect.c: what a call answers, as expressions in C. */
struct export_field {
	const char *name, *c;	/* of bytes: the arguments of @bytes, "at, length" */
	const char *bytes;	/* NULL: a number; else the function that compares the bytes with a pattern */
};

/*
 * Appends the conditions of the step's expectations, and keeps the fields that later
 * steps refer to.
 */
void export_expect(struct export *x, const struct export_field *field, size_t count);
/* The same expectations as one condition in C. The caller frees it. */
char *export_condition(struct export *x, const struct export_field *field, size_t count);

/* The functions of steps: call-*.c. */
struct export_call {
	const char *step;
	void (*write)(struct export *x);
};

extern const struct export_call export_object_calls[], export_pair_calls[], export_work_calls[], export_queue_calls[];

#endif
