/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_JOB_KMSG_H
#define VBM_JOB_KMSG_H

#include <stdbool.h>
#include <stddef.h>

#include <verbatim/error.h>

#include "base/value.h"
#include "event/emit.h"
#include "plan/plan.h"

/* How bad a kernel message is for the scenario it appears in. */
enum kmsg_severity {
	KMSG_FINE,
	KMSG_WARNING,	/* the kernel complained: turns the verdict */
	KMSG_OOPS,	/* and is not to be trusted any more */
};

struct kmsg_record {
	int level;	/* 0 emergency .. 7 debug */
	char text[1024];
};

/* Pure: one record as /dev/kmsg gives it ("6,12,99,-;text\n KEY=..."). */
int kmsg_parse(const char *line, size_t len, struct kmsg_record *rec);
enum kmsg_severity kmsg_classify(const struct kmsg_record *rec);

/* Kernel messages from now on. Returns a descriptor or -errno. */
int kmsg_open(struct vbm_error *err);

/* The next record there is: 1, or 0 when there is none now. */
int kmsg_next(int fd, struct kmsg_record *rec);

/* Emit this one as a "kernel" event of @v, or of no variant when @v is NULL. */
void kmsg_emit(struct emitter *emit, const struct variant *v, const struct kmsg_record *rec,
	       bool is_bad);

/*
 * Emit every record there is as a "kernel" event of @v, or of no variant when
 * @v is NULL. The texts of those that are bad are added to the list @complaints.
 * How bad the worst was; unless that is KMSG_FINE, *@complaint is its text,
 * which the caller frees. @fd may be -1: nothing is heard.
 */
enum kmsg_severity kmsg_hear(int fd, struct emitter *emit, const struct variant *v,
			     struct value *complaints, char **complaint);

#endif
