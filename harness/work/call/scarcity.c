/* SPDX-License-Identifier: BSD-2-Clause */
#include "call/scarcity.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A limit for the stack of the deepest call. The stack cannot grow either. */
#define STACK_BYTES (256 * 1024)

/* Limits the process to @spare more descriptors. */
static void limit_files(int64_t spare)
{
	struct rlimit now;
	int next;

	getrlimit(RLIMIT_NOFILE, &now);
	next = open("/dev/null", O_RDONLY | O_CLOEXEC);
	if (next >= 0)
		close(next);
	now.rlim_cur = (rlim_t)(next + spare);
	setrlimit(RLIMIT_NOFILE, &now);
}

static void touch_stack(void)
{
	volatile char page[STACK_BYTES];
	size_t i;

	for (i = 0; i < sizeof(page); i += 1024)
		page[i] = 0;
}

/* Allocates all that malloc() can still give, from large blocks to small ones. */
static void *take_memory(void)
{
	void *taken = NULL, **block;
	size_t size = 1 << 20;

	while (size >= sizeof(void *)) {
		block = malloc(size);
		if (!block) {
			size = size > 1024 ? size / 2 : size - 8;
			continue;
		}
		*block = taken;
		taken = block;
	}
	return taken;
}

void scarcity_begin(struct scarcity *s, const struct value *args)
{
	int64_t spare = value_get_int(args, "spare_fds", -1);
	struct rlimit none;

	memset(s, 0, sizeof(*s));
	s->few_files = spare >= 0;
	s->no_memory = value_get_bool(args, "no_memory", false);
	if (s->few_files) {
		getrlimit(RLIMIT_NOFILE, &s->files);
		limit_files(spare);
	}
	if (s->no_memory) {
		touch_stack();
		getrlimit(RLIMIT_AS, &s->space);
		none = s->space;
		none.rlim_cur = 0;
		setrlimit(RLIMIT_AS, &none);
		s->taken = take_memory();
	}
	errno = 0;
}

void scarcity_end(struct scarcity *s)
{
	int code = errno;
	void **block;

	while ((block = s->taken)) {
		s->taken = *block;
		free(block);
	}
	if (s->no_memory)
		setrlimit(RLIMIT_AS, &s->space);
	if (s->few_files)
		setrlimit(RLIMIT_NOFILE, &s->files);
	errno = code;
}
