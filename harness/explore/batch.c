/* SPDX-License-Identifier: BSD-2-Clause */
#include "explore/batch.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/own-path.h"
#include "base/xalloc.h"
#include "cmd.h"
#include "lib/base/fail.h"
#include "process/program.h"

/* The text as a file without a name in any folder, so that nothing is left of it however this process ends. */
static int nameless_file(const char *text, struct vbm_error *err)
{
	int fd = memfd_create("sequences", MFD_CLOEXEC), rc;

	if (fd < 0)
		return vbm_fail(err, errno, "cannot make a file for sequences: %s", strerror(errno));
	rc = file_write(fd, text, strlen(text));
	if (rc < 0) {
		close(fd);
		return vbm_fail(err, -rc, "cannot write a file for sequences: %s", strerror(-rc));
	}
	return fd;
}

#define WORDS_MAX 12

/* Appends "OPTION=VALUE" unless there is no value. */
static size_t add_option(char **argv, size_t n, const char *option, const char *value)
{
	if (value)
		argv[n++] = xasprintf("%s=%s", option, value);
	return n;
}

static int start(const struct batch_place *p, const char *path, char **said, int *status, struct vbm_error *err)
{
	char *argv[WORDS_MAX] = {own_command(), xstrdup("run"), xstrdup("--format=json")};
	size_t n = 3;
	int rc;

	n = add_option(argv, n, "--lane", p->lane);
	n = add_option(argv, n, "--layout", p->layout);
	n = add_option(argv, n, "--device", p->device);
	n = add_option(argv, n, "--kernel", p->kernel);
	n = add_option(argv, n, "--target", p->target);
	if (p->first)
		argv[n++] = xstrdup("--fail-fast");
	argv[n++] = xstrdup(path);
	rc = program_says(argv, said, status, err);
	while (n)
		free(argv[--n]);
	return rc;
}

/* The last lines that are no events: the run's message. */
static void pass_on(const char *said, struct vbm_error *err)
{
	const char *message = "", *line;

	for (line = said; line; line = strchr(line, '\n'), line += line != NULL)
		if (*line && *line != '{' && *line != '\n')
			message = line;
	vbm_fail(err, EINVAL, "the sequences could not run: %.*s", (int)strcspn(message, "\n"), message);
}

static int run_file(struct batch_place *place, const struct sequence *s, size_t count, struct explore_outcome *out,
		    struct vbm_error *err)
{
	auto_free char *text = sequence_file(s, count, place->stack), *said = NULL, *path = NULL;
	auto_close int fd = nameless_file(text, err);
	int status, rc;

	if (fd < 0)
		return fd;
	path = xasprintf("/proc/%d/fd/%d", (int)getpid(), fd);
	rc = start(place, path, &said, &status, err);
	if (rc < 0)
		return rc;
	place->status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
	if (place->status != EXIT_OK && place->status != EXIT_FAILED) {
		pass_on(said, err);
		return -err->code;
	}
	outcomes_read(out, count, said, text, &place->used);
	return 0;
}

static bool has_failed(const struct explore_outcome *out, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++)
		if (out[i].failed)
			return true;
	return false;
}

int batch_run(struct batch_place *place, const struct sequence *s, size_t count, struct explore_outcome *out,
	      struct vbm_error *err)
{
	size_t from, n, steps;
	int rc = 0;

	memset(out, 0, count * sizeof(*out));
	for (from = 0; rc == 0 && from < count; from += n) {
		for (n = 1, steps = s[from].count; from + n < count && steps + s[from + n].count <= BATCH_STEPS; n++)
			steps += s[from + n].count;
		rc = run_file(place, s + from, n, out + from, err);
		if (place->first && has_failed(out + from, n))
			break;
	}
	return rc;
}
