/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_EVENT_SENT_H
#define VBM_EVENT_SENT_H

#include <stdbool.h>
#include <stddef.h>

#include <verbatim/error.h>

struct event_kind;
struct value;

/*
 * The front end sends to a runner: a job, the lines after the job, and the maps in
 * their lists. A job says its kind itself; a line is of the kind whose first member it has.
 * docs/plan.md explains the members, and read.h reads them.
 */
const struct event_kind *sent_kind_at(size_t i);	/* NULL after the last one */
const struct event_kind *sent_kind_of(const struct value *v);	/* or NULL */
bool sent_is(const struct value *v, const char *kind);

/*
 * kinds.c: whether @v has exactly the members of its kind, with the right types. -EPROTO
 * with the mistake in @err otherwise. sent_made() is for what this program has made: then
 * the mistake is one of the code: event_fault().
 */
int sent_check(const struct value *v, struct vbm_error *err);
int sent_check_as(const struct value *v, const char *kind, struct vbm_error *err);
int sent_check_job(const struct value *v, struct vbm_error *err);
int sent_check_line(const struct value *v, const struct value *job, struct vbm_error *err);
void sent_made(const struct value *v);

#endif
