/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_LANE_CAPACITY_H
#define VBM_LANE_CAPACITY_H

#include <stdint.h>

/*
 * How many places can work here without disturbing each other, if each needs one
 * processor and @need_mb of memory; at least 1. It counts the processors that this
 * process may use and the memory that is free, both within the limits that control groups
 * (version 2) set, as containers do.
 */
int capacity_here(int64_t need_mb);

/* These are pure. A number that is not in the text is INT64_MAX: no limit. */
int capacity_of(int64_t processors, int64_t memory_mb, int64_t need_mb);
int64_t capacity_available_mb(const char *meminfo);	/* text of /proc/meminfo */
int64_t capacity_limit_mb(const char *memory_max);	/* of a group's memory.max */
int64_t capacity_quota(const char *cpu_max);		/* of cpu.max: whole processors */

#endif
