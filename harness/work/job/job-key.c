/* SPDX-License-Identifier: BSD-2-Clause */
#include "job/job-key.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/cleanup.h"
#include "base/json.h"
#include "base/value.h"
#include "event/stream.h"
#include "event/sent.h"
#include "job/job.h"
#include "lib/base/fail.h"

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
	/* In children the page is zero. */
	madvise(page, PAGE, MADV_WIPEONFORK);
	madvise(page, PAGE, MADV_DONTDUMP);
	memcpy(page, member->s, KEY_LENGTH + 1);
	explicit_bzero(member->s, KEY_LENGTH);
	return page;
}

struct value *job_line(const struct job *job, const char *line, size_t len, struct vbm_error *err)
{
	auto_value struct value *v = NULL;

	if (!stream_key_fits(job->key, &line, &len)) {
		vbm_fail(err, EPROTO, "the runner got a line without its key, so not from the front end");
		return NULL;
	}
	v = json_read(line, len, err);
	return v && sent_check_line(v, job->spec, err) == 0 ? steal(&v) : NULL;
}
