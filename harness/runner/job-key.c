/* SPDX-License-Identifier: BSD-2-Clause */
#include "runner/job-key.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/value.h"
#include "event/key.h"

#define PAGE 4096

const char *job_key_keep(struct value *job)
{
	struct value *member = value_get(job, KEY_MEMBER);
	char *page;

	if (!member || member->type != VALUE_STRING || strlen(member->s) != KEY_LENGTH)
		return NULL;
	page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (page == MAP_FAILED)
		abort();
	/* Children find zeros there. */
	madvise(page, PAGE, MADV_WIPEONFORK);
	madvise(page, PAGE, MADV_DONTDUMP);
	memcpy(page, member->s, KEY_LENGTH + 1);
	explicit_bzero(member->s, KEY_LENGTH);
	return page;
}
