/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "acm/responder.h"
#include "base/cleanup.h"
#include "call/step-util.h"
#include "process/child.h"

#define SERVICE "path service"

static struct value *address_or_null(const char *text)
{
	return strcmp(text, "-") ? value_string(text) : value_null();
}

/* Reads "resolve SRC DST PATHS NODELAY DGID PKEY". NULL for any other line. */
static struct value *request_to_value(const char *line)
{
	char src[64], dst[64], dgid[64];
	struct value *v;
	unsigned int paths, pkey;
	int no_delay;

	if (sscanf(line, "resolve %63s %63s %u %d %63s %u", src, dst, &paths, &no_delay,
		   dgid, &pkey) != 6)
		return NULL;
	v = value_map();
	value_set(v, "src", address_or_null(src));
	value_set(v, "dst", address_or_null(dst));
	value_set_int(v, "paths", paths);
	value_set(v, "path_dgid", address_or_null(dgid));
	value_set_int(v, "path_pkey", pkey);
	value_set_bool(v, "no_delay", no_delay);
	return v;
}

static void report_requests(char *text, struct value *result)
{
	int64_t connections = 0, count = 0, garbage = 0;
	struct value *list = value_list(), *v;
	char *line, *save = NULL;

	for (line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		v = request_to_value(line);
		if (!v) {
			connections += strcmp(line, "connect") == 0;
			garbage += strcmp(line, "garbage") == 0;
		} else if (count++ < LISTED_MAX) {
			value_append(list, v);
		} else {
			value_free(v);
		}
	}
	value_set_int(result, "connections", connections);
	value_set_int(result, "count", count);
	value_set_int(result, "garbage", garbage);
	value_set(result, "requests", list);
}

STEP(run_requests)
{
	auto_free char *text = NULL;

	if (ctx->acm_log_fd < 0)
		return vbm_fail(err, ENOENT,
				"this scenario has no path service ('acm:' starts one)");
	if (acm_responder_settle(ctx->acm_control_fd, ctx->deadline_ns, err) < 0)
		return -err->code;
	text = child_log_read(ctx->acm_log_fd, SERVICE, err);
	if (!text)
		return -err->code;
	value_set_int(result, "return", 0);
	report_requests(text, result);
	return value_get_bool(args, "clear", false) ?
		child_log_clear(ctx->acm_log_fd, SERVICE, err) : 0;
}

static const struct param requests_params[] = {
	P_BOOL("clear", "true empties the list afterwards; default false"),
	{NULL},
};
static const struct field request_fields[] = {
	F_STRING("src", "source address, or null"),
	F_STRING("dst", "destination address, or null"),
	F_INT("paths", "how many paths the request contained; they restrict the answer"),
	F_STRING("path_dgid", "destination of the first path, or null"),
	F_INT("path_pkey", "partition key of the first path, or 0"),
	F_BOOL("no_delay", "whether the client asked for an answer without delay"),
	{NULL},
};
static const struct field requests_fields[] = {
	F_INT("return", "always 0"),
	F_INT("connections", "how many connections were made"),
	F_INT("count", "how many requests came"),
	F_INT("garbage", "how many messages were not requests"),
	F_LIST("requests", request_fields, "the first thousand requests, in order"),
	{NULL},
};

static const struct step_kind steps[] = {
	{.name = "acm_requests", .call = "pread(2)",
	 .doc = "List the requests that the path service of this host received.",
	 .params = requests_params, .fields = requests_fields, .waits = true,
	 .query = true, .run = run_requests},
	{NULL},
};

const struct step_family family_acm = {"acm", "The path service of a host.", steps};
