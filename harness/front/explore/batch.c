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
#include "names/exit-status.h"
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

/* Files of one run: a few at most, so that no shrinking needs more. */
#define FILES_MAX 16
#define WORDS_MAX (12 + FILES_MAX)

/* The files of one run. */
struct batch_files {
	struct outcome_file file[FILES_MAX];	/* each owns its text */
	int fd[FILES_MAX];			/* owned */
	size_t count;
};

/* Appends "OPTION=VALUE" unless there is no value. */
static size_t add_option(char **argv, size_t n, const char *option, const char *value)
{
	if (value)
		argv[n++] = xasprintf("%s=%s", option, value);
	return n;
}

static int run_candidates(const struct batch_place *p, const struct batch_files *files, char **said, int *status, struct vbm_error *err)
{
	char *argv[WORDS_MAX] = {own_command(), xstrdup("run"), xstrdup("--format=json")};
	size_t n = 3, i;
	int rc;

	n = add_option(argv, n, "--lane", p->lane);
	n = add_option(argv, n, "--layout", p->layout);
	n = add_option(argv, n, "--device", p->device);
	n = add_option(argv, n, "--kernel", p->kernel);
	n = add_option(argv, n, "--target", p->target);
	if (p->first)
		argv[n++] = xstrdup("--fail-fast");
	for (i = 0; i < files->count; i++)
		argv[n++] = xasprintf("/proc/%d/fd/%d", (int)getpid(), files->fd[i]);
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

static int run_files(struct batch_place *place, const struct batch_files *files, struct explore_outcome *out, struct vbm_error *err)
{
	auto_free char *said = NULL;
	int status, rc = run_candidates(place, files, &said, &status, err);

	if (rc < 0)
		return rc;
	place->status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
	if (place->status != EXIT_OK && place->status != EXIT_FAILED) {
		pass_on(said, err);
		return -err->code;
	}
	outcomes_read(out, files->file, files->count, said, &place->used);
	return 0;
}

/* The next sequences, from @from on, as one more file. */
static int add_file(struct batch_files *files, const struct batch_place *place, const struct sequence *s, size_t from, size_t count,
		    struct vbm_error *err)
{
	struct outcome_file *f = &files->file[files->count];
	size_t steps = s[from].count;
	int fd;

	*f = (struct outcome_file){.from = from, .count = 1};
	for (; from + f->count < count && steps + s[from + f->count].count <= BATCH_STEPS; f->count++)
		steps += s[from + f->count].count;
	f->text = sequence_file(s + from, f->count, from, place->stack);
	fd = files->fd[files->count++] = nameless_file(f->text, err);
	return fd < 0 ? fd : 0;
}

static void files_fini(struct batch_files *files)
{
	size_t i;

	for (i = 0; i < files->count; i++) {
		free(files->file[i].text);
		if (files->fd[i] >= 0)
			close(files->fd[i]);
	}
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
	struct batch_files files;
	size_t from = 0, begin;
	int rc = 0;

	memset(out, 0, count * sizeof(*out));
	while (rc == 0 && from < count) {
		begin = from;
		for (files.count = 0; rc == 0 && files.count < FILES_MAX && from < count; from += files.file[files.count - 1].count)
			rc = add_file(&files, place, s, from, count, err);
		if (rc == 0)
			rc = run_files(place, &files, out, err);
		files_fini(&files);
		if (place->first && has_failed(out + begin, from - begin))
			break;
	}
	return rc;
}
