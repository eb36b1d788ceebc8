/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_JOB_KMSG_H
#define VBM_JOB_KMSG_H

#include <stdbool.h>
#include <stddef.h>

#include <verbatim/error.h>

#include "base/value.h"
#include "event/emit.h"
#include "plan/plan.h"

/* How bad a kernel message is for its scenario. */
enum kmsg_severity {
	KMSG_FINE,
	KMSG_WARNING,	/* the kernel complained: changes the verdict */
	KMSG_OOPS,	/* it complained, and can no longer be trusted */
};

struct kmsg_record {
	int level;	/* 0 emergency .. 7 debug */
	char text[1024];
};

/* Parses one record of /dev/kmsg ("6,12,99,-;text\n KEY=..."). Pure. */
int kmsg_parse(const char *line, size_t len, struct kmsg_record *rec);
enum kmsg_severity kmsg_classify(const struct kmsg_record *rec);

/* Opens the kernel messages from now on. Returns a descriptor or -errno. */
int kmsg_open(struct vbm_error *err);

/* Reads the next record: returns 1, or 0 if there is none now. */
int kmsg_next(int fd, struct kmsg_record *rec);

/* Emits this record as a "kernel" event of @v, or of no variant if @v is NULL. */
void kmsg_emit(struct emitter *emit, const struct variant *v, const struct kmsg_record *rec,
	       bool is_bad);

struct fabric;

/*
 * Emits all records as "kernel" events of @v, or of no variant if @v is NULL, and adds
 * the texts of bad ones to the list @complaints. Returns how bad the worst was; unless
 * that is KMSG_FINE, *@complaint is its text, which the caller frees.
 */
struct kmsg_source {
	int fd;			/* of kmsg_open(); -1: none */
	struct fabric *far;	/* the hosts' kernels tell theirs; NULL: there are none */
};

enum kmsg_severity kmsg_hear(const struct kmsg_source *from, struct emitter *emit, const struct variant *v,
			     struct value *complaints, char **complaint);

#endif
