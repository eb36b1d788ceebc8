/* SPDX-License-Identifier: BSD-2-Clause */
#include "session/exec-status.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/number.h"
#include "base/xalloc.h"
#include "lib/base/fail.h"

#define ALL "verbatim"
#define NAMES "command, failed, kernel, arguments, place, ready, timeout, or " ALL

static const char *const names[EXEC_ENDS] = {
	[EXEC_END_COMMAND] = "command", [EXEC_END_FAILED] = "failed",
	[EXEC_END_KERNEL] = "kernel", [EXEC_END_ARGUMENTS] = "arguments",
	[EXEC_END_PLACE] = "place", [EXEC_END_READY] = "ready",
	[EXEC_END_TIMEOUT] = "timeout",
};

static bool set_status(struct exec_statuses *s, const char *name, int status)
{
	bool known = false, all = !strcmp(name, ALL);
	int i;

	for (i = 0; i < EXEC_ENDS; i++) {
		if (all ? i == EXEC_END_COMMAND : strcmp(name, names[i]) != 0)
			continue;
		s->of[i] = status;
		known = true;
	}
	return known;
}

static int read_one(struct exec_statuses *s, char *word, struct vbm_error *err)
{
	char *eq = strchr(word, '=');
	int64_t status = 0;

	if (!eq)
		return vbm_fail(err, EINVAL, "--status takes WHAT=STATUS, such as place=125, not '%s'",
				word);
	*eq = '\0';
	/* With 0 a failure would look like a success. */
	if (!number_read(eq + 1, 1, 255, &status))
		return vbm_fail(err, EINVAL, "--status %s takes a number from 1 to 255, not '%s'", word,
				eq + 1);
	if (!set_status(s, word, (int)status))
		return vbm_fail(err, EINVAL, "--status knows no '%s', but " NAMES, word);
	return 0;
}

int exec_status_read(struct exec_statuses *s, const char *text, struct vbm_error *err)
{
	auto_free char *copy = xstrdup(text);
	char *word, *save = NULL;
	int rc = 0;

	for (word = strtok_r(copy, ",", &save); rc == 0 && word; word = strtok_r(NULL, ",", &save))
		rc = read_one(s, word, err);
	return rc;
}

void exec_status_scan(struct exec_statuses *s, char **argv)
{
	static const char option[] = "--status";
	size_t n = strlen(option);
	const char *value;

	for (; *argv && strcmp(*argv, "--") != 0; argv++) {
		if (strncmp(*argv, option, n) != 0)
			continue;
		value = (*argv)[n] == '=' ? *argv + n + 1 : !(*argv)[n] ? argv[1] : NULL;
		if (value)
			exec_status_read(s, value, NULL);
	}
}

int exec_status_of(const struct exec_statuses *s, enum exec_end end, int own)
{
	return s->of[end] < 0 ? own : s->of[end];
}

const char *exec_end_intro(enum exec_end end, int rc)
{
	return end == EXEC_END_PLACE && rc != -EINTR ? "no place to run: " : "";
}

void exec_status_take(void *statuses, const struct option_line *line, char *arg, struct argp_state *state)
{
	struct vbm_error err = {0};

	(void)line;
	if (exec_status_read(statuses, arg, &err) < 0)
		argp_error(state, "%s", err.msg);
}
