/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_RUN_ACCOUNT_H
#define VBM_RUN_ACCOUNT_H

#include <stdbool.h>
#include <stddef.h>

#include <verbatim/error.h>

struct value;
struct variant;

/*
 * What one runner has told of the variant that runs there, and which verdicts can
 * follow from that. A runner gives PASS, FAIL, SKIP and ERROR; the rest is made
 * from these by the front end. Pure.
 */
struct account {
	const struct variant *v;	/* borrowed; NULL: its steps are not judged */
	size_t steps;			/* carried out */
	size_t next;			/* the item after the last one that was */
	size_t fails, not_ok;
	struct value *complaints;	/* owned: list of the kernel's since the last verdict; or NULL */
	bool complained;		/* the kernel ever did */
};

void account_fini(struct account *a);

/* Variant @v begins. What the kernel complained of before counts for it. */
void account_begin(struct account *a, const struct variant *v);

/* -EPROTO, for each of these: that cannot be. */
int account_step(struct account *a, const struct value *event, struct vbm_error *err);
int account_fail(struct account *a, const struct value *event, struct vbm_error *err);
int account_kernel(struct account *a, const struct value *event, struct vbm_error *err);
int account_verdict(struct account *a, const struct value *event, struct vbm_error *err);

#endif
