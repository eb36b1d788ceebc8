/* SPDX-License-Identifier: BSD-2-Clause */
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "call/step-util.h"

/* Steps for tests of the harness itself. They call no library. */

static int write_file(const char *path, const char *text, struct vbm_error *err)
{
	auto_close int fd = open(path, O_WRONLY | O_CLOEXEC);

	if (fd < 0 || write(fd, text, strlen(text)) != (ssize_t)strlen(text))
		return vbm_fail(err, errno, "cannot write to %s: %s", path, strerror(errno));
	return 0;
}

STEP(run_kernel_message)
{
	/* The kernel waits for the newline. */
	auto_free char *line = xasprintf("<%d>%s\n", (int)value_get_int(args, "level", 4),
					 value_get_string(args, "text", "verbatim"));

	value_set_int(result, "return", 0);
	return write_file("/dev/kmsg", line, err);
}

STEP(run_sysrq)
{
	const char *key = value_get_string(args, "key", "h");

	if (strlen(key) != 1)
		return vbm_fail(err, EINVAL, "key: '%s' is not one character", key);
	value_set_int(result, "return", 0);
	return write_file("/proc/sysrq-trigger", key, err);
}

STEP(run_stall)
{
	for (;;)
		poll(NULL, 0, -1);
	return 0;
}

STEP(run_crash)
{
	abort();
}

STEP(run_exit)
{
	_exit((int)value_get_int(args, "status", 0));
}

STEP(run_garble)
{
	if (ctx->answer_fd < 0 || write(ctx->answer_fd, "{\"garbled\n", 10) != 10)
		return vbm_fail(err, EPIPE, "this agent has no connection to the runner");
	return 0;
}

STEP(run_note)
{
	fprintf(stderr, "%s\n", value_get_string(args, "text", ""));
	value_set_int(result, "return", 0);
	return 0;
}

static const struct param message_params[] = {
	{.name = "text", .type = PARAM_STRING, .required = true, .doc = "text of the message"},
	P_INT("level", 0, 7, "syslog level: 4 is warning, 6 is information; default 4"),
	{NULL},
};
static const struct param sysrq_params[] = {
	{.name = "key", .type = PARAM_STRING, .required = true,
	 .doc = "the command's character: c crashes the kernel"},
	{NULL},
};
static const struct param exit_params[] = {
	P_INT("status", 0, 255, "exit status; default 0"),
	{NULL},
};
static const struct param note_params[] = {
	{.name = "text", .type = PARAM_STRING, .required = true, .doc = "the line"},
	{NULL},
};

/* The runner executes this step. An agent must never get it. */
STEP(run_kill)
{
	return vbm_fail(err, ENOSYS, "only the runner can execute kill");
}

static const struct param kill_params[] = {
	P_INT("signal", 1, 64, "number of the signal; default 9, SIGKILL"),
	{NULL},
};

static const struct step_kind steps[] = {
	{.name = "kill", .call = "kill(2)",
	 .doc = "Kill the process with a signal, from outside; no later step can use it.",
	 .params = kill_params, .fields = step_zero_fields, .by_runner = true, .run = run_kill},
	{.name = "kernel_message", .call = "kmsg(4)", .doc = "Put a message into the kernel's log.",
	 .params = message_params, .fields = step_zero_fields, .machine_wide = true, .run = run_kernel_message},
	{.name = "sysrq", .call = "proc(5)", .doc = "Send a SysRq command to the kernel.",
	 .params = sysrq_params, .fields = step_zero_fields, .needs = "lane!=native", .machine_wide = true, .run = run_sysrq},
	{.name = "stall", .call = "poll(2)", .doc = "Never answer, not even at the deadline.",
	 .waits = true,
	 .fields = step_zero_fields, .run = run_stall},
	{.name = "crash", .call = "abort(3)", .doc = "End the agent with a signal.",
	 .fields = step_zero_fields, .run = run_crash},
	{.name = "exit", .call = "_exit(2)", .doc = "Let the agent exit.",
	 .params = exit_params, .fields = step_zero_fields, .run = run_exit},
	{.name = "garble", .call = "write(2)", .doc = "Answer with a line that is not a valid answer.",
	 .fields = step_zero_fields, .run = run_garble},
	{.name = "note", .call = "fputs(3)", .doc = "Write a line to the agent's log.",
	 .params = note_params, .fields = step_zero_fields, .run = run_note},
	{NULL},
};

const struct step_family family_host = {"host", "Steps that test the harness itself.", steps};
