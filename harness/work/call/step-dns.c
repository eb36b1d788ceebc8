/* SPDX-License-Identifier: BSD-2-Clause */
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>

#include "base/cleanup.h"
#include "call/step-util.h"
#include "process/child.h"

#define SERVICE "name server"

static int no_server(struct vbm_error *err)
{
	return vbm_fail(err, ENOENT, "this scenario has no name server ('dns:' starts one)");
}

/* Reads "udp A a.test". */
static struct value *query_to_value(char *line)
{
	struct value *v = value_map();
	char *save = NULL;
	const char *transport = strtok_r(line, " ", &save);
	const char *type = strtok_r(NULL, " ", &save), *name = strtok_r(NULL, " ", &save);

	value_set_string(v, "name", name ? name : "");
	value_set_string(v, "type", type ? type : "");
	value_set_string(v, "transport", transport ? transport : "");
	return v;
}

STEP(run_queries)
{
	const char *only = value_get_string(args, "name", NULL);
	struct value *list = value_list(), *v;
	auto_free char *text = NULL;
	char *line, *save = NULL;
	int64_t count = 0;

	value_set_int(result, "return", 0);
	value_set(result, "queries", list);
	if (ctx->dns_log_fd < 0)
		return no_server(err);
	text = child_log_read(ctx->dns_log_fd, SERVICE, err);
	if (!text)
		return -err->code;
	for (line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		v = query_to_value(line);
		if (only && strcmp(value_get_string(v, "name", ""), only)) {
			value_free(v);
			continue;
		}
		if (count++ < LISTED_MAX)
			value_append(list, v);
		else
			value_free(v);
	}
	value_set_int(result, "count", count);
	return value_get_bool(args, "clear", false) ?
		child_log_clear(ctx->dns_log_fd, SERVICE, err) : 0;
}

STEP(run_stop)
{
	int ret;

	if (ctx->dns_pidfd < 0)
		return no_server(err);
	/* An earlier step may have stopped it. */
	if (pidfd_send_signal(ctx->dns_pidfd, SIGKILL, NULL, 0) < 0 && errno != ESRCH)
		return vbm_fail(err, errno, "cannot stop the name server: %s", strerror(errno));
	ret = step_wait_readable(&ctx->dns_pidfd, 1, ctx->deadline_ns);
	if (ret < 0)
		return vbm_fail(err, -ret, "the name server was killed but has not ended");
	value_set_int(result, "return", 0);
	return 0;
}

static const struct param queries_params[] = {
	P_STRING("name", "only questions for this name, in lower case; default: all questions"),
	P_BOOL("clear", "true empties the list afterwards; default false"),
	{NULL},
};
static const struct field query_fields[] = {
	F_STRING("name", "the name in the question, in lower case"),
	F_STRING("type", "A, AAAA, ..., or TYPE and a number"),
	F_STRING("transport", "udp or tcp"),
	{NULL},
};
static const struct field queries_fields[] = {
	F_INT("return", "always 0"),
	F_INT("count", "how many questions came"),
	F_LIST("queries", query_fields, "the first thousand questions, in order"),
	{NULL},
};

static const struct step_kind steps[] = {
	{.name = "dns_queries", .call = "pread(2)", .doc = "List the questions that the name server got, from any host.",
	 .params = queries_params, .fields = queries_fields, .query = true, .run = run_queries},
	{.name = "dns_stop", .call = "pidfd_send_signal(2)", .doc = "Kill the name server, so that nothing listens on its port.",
	 .fields = step_zero_fields, .waits = true, .run = run_stop},
	{NULL},
};

const struct step_family family_dns = {"dns", "The name server of the scenario.", steps};
