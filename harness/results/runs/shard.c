/* SPDX-License-Identifier: BSD-2-Clause */
#include "runs/shard.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/digest.h"
#include "base/number.h"
#include "base/value.h"
#include "base/xalloc.h"
#include "lib/base/fail.h"

int shard_parse(struct shard *out, const char *text, struct vbm_error *err)
{
	const char *slash = strchr(text, '/');
	int64_t number, of;

	if (!slash || !number_part(text, (size_t)(slash - text), INT64_MIN, INT64_MAX, &number) ||
	    !number_read(slash + 1, 1, SHARDS_MAX, &of))
		return vbm_fail(err, EINVAL, "--shard takes auto or I/N, such as 2/4 for the second of four shards "
				"(at most %d), not '%s'", SHARDS_MAX, text);
	if (number < 1 || number > of)
		return vbm_fail(err, EINVAL, "--shard %s: the first of %d shards is 1/%d, the last one is %d/%d", text,
				(int)of, (int)of, (int)of, (int)of);
	*out = (struct shard){(int)number, (int)of};
	return 0;
}

bool shard_holds(const struct shard *s, const char *name)
{
	return s->of == 0 || digest_of(name, strlen(name)) % (uint64_t)s->of == (uint64_t)s->number - 1;
}

bool shard_of_event(struct shard *out, const struct value *event)
{
	const struct value *member = value_get(event, "shard");
	int64_t number = member ? value_get_int(member, "number", 0) : 0, of = member ? value_get_int(member, "of", 0) : 0;

	if (number < 1 || number > of || of > SHARDS_MAX)
		return false;
	*out = (struct shard){(int)number, (int)of};
	return true;
}

/* The variables by which engines tell a job its part. */
static const struct shard_engine {
	const char *name;
	const char *index, *count;
	const char *first, *last;	/* the smallest and the largest index, or NULL */
	int base;		/* the smallest index, if @first is NULL */
	bool always;		/* every job has @count: 1 without @index is a job that is not divided */
	const char *file;	/* the name of a file that tells the engine that the work is divided, or NULL */
} engines[] = {
	{"Slurm", "SLURM_ARRAY_TASK_ID", "SLURM_ARRAY_TASK_COUNT", "SLURM_ARRAY_TASK_MIN", "SLURM_ARRAY_TASK_MAX", 0,
	 false, NULL},
	{"GitLab", "CI_NODE_INDEX", "CI_NODE_TOTAL", NULL, NULL, 1, true, NULL},
	{"Bazel", "TEST_SHARD_INDEX", "TEST_TOTAL_SHARDS", NULL, NULL, 0, false, "TEST_SHARD_STATUS_FILE"},
};

/* An empty variable is none. */
static const char *variable(const char *name)
{
	const char *value = name ? getenv(name) : NULL;

	return value && *value ? value : NULL;
}

static bool is_set(const struct shard_engine *e)
{
	const char *count = variable(e->count);

	if (e->always && count && !strcmp(count, "1") && !variable(e->index))
		return false;
	return count || variable(e->index);
}

static int read_variable(const char *name, const char *engine, int64_t *out, struct vbm_error *err)
{
	if (!variable(name))
		return vbm_fail(err, EINVAL, "--shard auto: only some variables of %s are set: %s is missing", engine, name);
	if (!number_read(variable(name), 0, INT32_MAX, out))
		return vbm_fail(err, EINVAL, "--shard auto: %s is not a number: '%s'", name, variable(name));
	return 0;
}

/* A list of indices with gaps has no place for a shard of each number. */
static int check_gaps(const struct shard_engine *e, int64_t first, int64_t count, struct vbm_error *err)
{
	int64_t last;

	if (!variable(e->last))
		return 0;
	if (read_variable(e->last, e->name, &last, err) < 0)
		return -err->code;
	if (last - first + 1 != count)
		return vbm_fail(err, EINVAL, "--shard auto: the %" PRId64 " tasks from %s=%" PRId64 " to %s=%" PRId64
				" leave numbers out: use an array such as 1-%" PRId64 ", or name the shard with --shard I/N",
				count, e->first, first, e->last, last, count);
	return 0;
}

static int read_engine(struct shard *out, const struct shard_engine *e, struct vbm_error *err)
{
	int64_t index, count, first = e->base;

	if (read_variable(e->index, e->name, &index, err) < 0 || read_variable(e->count, e->name, &count, err) < 0 ||
	    (e->first && read_variable(e->first, e->name, &first, err) < 0) ||
	    check_gaps(e, first, count, err) < 0)
		return -err->code;
	if (count < 1 || count > SHARDS_MAX)
		return vbm_fail(err, EINVAL, "--shard auto: %s=%" PRId64 ": there can be 1 to %d shards", e->count, count,
				SHARDS_MAX);
	if (index < first || index - first >= count)
		return vbm_fail(err, EINVAL, "--shard auto: %s=%" PRId64 " is not one of the %s=%" PRId64
				" numbers from %" PRId64 " on", e->index, index, e->count, count, first);
	*out = (struct shard){(int)(index - first) + 1, (int)count};
	return 0;
}

static int tell_engine(const struct shard_engine *e, struct vbm_error *err)
{
	const char *path = variable(e->file);
	auto_close int fd = -1;

	if (!path)
		return 0;
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	return fd < 0 ? vbm_fail(err, errno, "%s: %s: %s", e->file, path, strerror(errno)) : 0;
}

static int read_variables(struct shard *out, struct vbm_error *err)
{
	const struct shard_engine *found = NULL;
	struct shard shard;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(engines); i++) {
		if (!is_set(&engines[i]))
			continue;
		if (found)
			return vbm_fail(err, EINVAL, "--shard auto: %s and %s both have set variables (%s, %s): name the shard "
					"with --shard I/N", found->name, engines[i].name, found->index, engines[i].index);
		found = &engines[i];
	}
	if (!found)
		return vbm_fail(err, EINVAL, "--shard auto: no engine has told which shard this is: neither a Slurm array "
				"(%s), nor GitLab's parallel (%s), nor Bazel (%s); name it with --shard I/N",
				engines[0].index, engines[1].index, engines[2].index);
	if (read_engine(&shard, found, err) < 0 || tell_engine(found, err) < 0)
		return -err->code;
	*out = shard;
	return 0;
}

int shard_read(struct shard *out, const char *text, struct vbm_error *err)
{
	return strcmp(text, "auto") ? shard_parse(out, text, err) : read_variables(out, err);
}
