/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/value.h"
#include "base/xalloc.h"
#include "job-exec/exec-job.h"

/* Programs say one of these when they get no memory: the C library, C++, Python, and the name. */
static const char *const complaints[] = {"Cannot allocate memory", "std::bad_alloc", "MemoryError", "ENOMEM"};

/* The number of megabytes of a line of /proc/meminfo, or 0. */
static int64_t line_mb(const char *meminfo, const char *name)
{
	const char *at = strstr(meminfo, name);

	return at ? strtoll(at + strlen(name), NULL, 10) / 1024 : 0;
}

static void measure_memory(struct memory *m)
{
	auto_free char *info = NULL;
	size_t n;

	if (file_read("/proc/meminfo", &info, &n, NULL) < 0)
		return;
	m->all_mb = line_mb(info, "MemTotal:");
	m->used_mb = m->all_mb - line_mb(info, "MemAvailable:");
}

void memory_hear(struct memory *m, const char *data, size_t len)
{
	size_t i;

	if (m->complained)
		return;
	text_add_bytes(&m->tail, data, len);
	for (i = 0; i < ARRAY_SIZE(complaints); i++)
		m->complained |= memmem(m->tail.s, m->tail.len, complaints[i], strlen(complaints[i])) != NULL;
	/* The next bytes may be the end of a text that began here. */
	text_keep_end(&m->tail, MEMORY_TAIL);
	if (m->complained)
		measure_memory(m);
}

void memory_killed(struct memory *m)
{
	measure_memory(m);
	m->used_mb = m->all_mb;
}

void memory_put(const struct memory *m, struct value *event)
{
	if (!m->all_mb)
		return;
	value_set_int(event, "memory_mb", m->all_mb);
	value_set_int(event, "memory_used_mb", m->used_mb);
}
