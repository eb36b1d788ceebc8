/* SPDX-License-Identifier: BSD-2-Clause */
#include "lane/capacity.h"

#include <inttypes.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/xalloc.h"

#define GROUPS "/sys/fs/cgroup"

int capacity_of(int64_t processors, int64_t memory_mb, int64_t need_mb)
{
	int64_t places = memory_mb / need_mb;

	if (places > processors)
		places = processors;
	if (places > INT_MAX)
		places = INT_MAX;
	return places < 1 ? 1 : (int)places;
}

int64_t capacity_available_mb(const char *meminfo)
{
	const char *line = strstr(meminfo, "MemAvailable:");
	int64_t kb;

	if (!line || sscanf(line, "MemAvailable: %" SCNd64, &kb) != 1)
		return INT64_MAX;
	return kb / 1024;
}

int64_t capacity_limit_mb(const char *memory_max)
{
	int64_t bytes;

	return sscanf(memory_max, "%" SCNd64, &bytes) == 1 ? bytes / (1024 * 1024) : INT64_MAX;
}

/* A part of a processor counts as one, because half a processor is enough for a place. */
int64_t capacity_quota(const char *cpu_max)
{
	int64_t quota, period;

	if (sscanf(cpu_max, "%" SCNd64 " %" SCNd64, &quota, &period) != 2 || period <= 0)
		return INT64_MAX;
	return (quota + period - 1) / period;
}

/* Lowers @limit to the value of a file, if that exists and is lower. */
static void lower_limit(int64_t *limit, const char *path, int64_t (*parse)(const char *text))
{
	auto_free char *text = NULL;
	int64_t said;

	if (file_read(path, &text, NULL, NULL) < 0)
		return;
	said = parse(text);
	if (said < *limit)
		*limit = said;
}

/* Our group in /proc/self/cgroup: "0::/a/b". Caller frees. */
static char *own_group(void)
{
	auto_free char *text = NULL;
	char *pos, *line;

	if (file_read("/proc/self/cgroup", &text, NULL, NULL) < 0)
		return xstrdup("");
	for (pos = text; (line = file_next_line(&pos));)
		if (!strncmp(line, "0::", 3))
			return xstrdup(strcmp(line + 3, "/") ? line + 3 : "");
	return xstrdup("");
}

/* The limits of a group also apply to the groups in it. */
static void apply_groups(int64_t *memory_mb, int64_t *processors)
{
	auto_free char *group = own_group();
	char *slash;

	for (;;) {
		auto_free char *memory = xasprintf(GROUPS "%s/memory.max", group);
		auto_free char *cpu = xasprintf(GROUPS "%s/cpu.max", group);

		lower_limit(memory_mb, memory, capacity_limit_mb);
		lower_limit(processors, cpu, capacity_quota);
		slash = strrchr(group, '/');
		if (!slash)
			return;
		*slash = '\0';
	}
}

int capacity_here(int64_t need_mb)
{
	int64_t memory_mb = INT64_MAX, processors = sysconf(_SC_NPROCESSORS_ONLN);
	cpu_set_t set;

	if (sched_getaffinity(0, sizeof(set), &set) == 0)
		processors = CPU_COUNT(&set);
	lower_limit(&memory_mb, "/proc/meminfo", capacity_available_mb);
	apply_groups(&memory_mb, &processors);
	return capacity_of(processors, memory_mb, need_mb);
}
