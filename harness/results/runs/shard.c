/* SPDX-License-Identifier: BSD-2-Clause */
#include "runs/shard.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>

#include "base/digest.h"
#include "base/number.h"
#include "base/value.h"
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
