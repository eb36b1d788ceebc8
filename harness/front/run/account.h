/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_RUN_ACCOUNT_H
#define VBM_RUN_ACCOUNT_H

#include <stdbool.h>
#include <stddef.h>

#include <verbatim/error.h>

struct value;
struct variant;

/*
 * The events of one runner about its current variant, and the verdicts that can follow
 * from them. A runner gives PASS, FAIL, SKIP and ERROR; the front end makes the others
 * from these. Pure.
 */
struct account {
	const struct variant *v;	/* borrowed; NULL: its steps are not judged */
	size_t steps;			/* carried out */
	size_t next;			/* the item after the last one that was */
	size_t fails, not_ok;
	struct value *complaints;	/* owned: the kernel's complaints since the last verdict; or NULL */
	bool complained;		/* the kernel has ever complained */
};

void account_fini(struct account *a);

/* Variant @v begins. Complaints of the kernel since the last verdict count for it. */
void account_begin(struct account *a, const struct variant *v);

/* Each of these returns -EPROTO if the event contradicts the plan or earlier events. */
int account_step(struct account *a, const struct value *event, struct vbm_error *err);
int account_fail(struct account *a, const struct value *event, struct vbm_error *err);
int account_kernel(struct account *a, const struct value *event, struct vbm_error *err);
int account_verdict(struct account *a, const struct value *event, struct vbm_error *err);

#endif
