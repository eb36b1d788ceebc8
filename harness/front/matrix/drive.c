/* SPDX-License-Identifier: BSD-2-Clause */
#include "matrix/drive.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/json.h"
#include "base/text.h"
#include "base/value.h"
#include "base/visible.h"
#include "base/watch.h"
#include "base/xalloc.h"
#include "lib/base/fail.h"
#include "process/child.h"

struct driving;

/* A run under way. */
struct running {
	struct watch ended;	/* of its pidfd, which it owns */
	struct driving *driving;
	pid_t pid;	/* 0: there is none */
	size_t cell;
};

/* Runs of a call. */
struct driving {
	struct drive *drive;
	struct loop loop;
	struct watch signals;
	struct running *run;	/* owned; as many as there are jobs */
	size_t count;		/* under way */
};

static void add_word(struct value *words, const char *word)
{
	value_append(words, value_string(word));
}

/* Borrowed. */
static const char *word_of(const struct matrix *m, const struct matrix_cell *cell, enum matrix_axis axis)
{
	return m->axis[axis].value[cell->at[axis]].word;
}

static void add_option(struct value *words, const char *option, const char *arg)
{
	add_word(words, option);
	add_word(words, arg);
}

/* A build is the target; an object as the target is then laid over it. */
static void add_target(struct value *words, const struct matrix_cell *cell, const char *target)
{
	bool is_system = !strcmp(target, matrix_axes[AXIS_TARGET].fallback);

	if (cell->build)
		add_option(words, "--target", cell->build);
	if (!is_system)
		add_option(words, cell->build ? "--over" : "--target", target);
}

/* The words after "verbatim" of a cell's run, without --jobs. The caller frees the list. */
static struct value *drive_words(const struct drive *d, size_t number)
{
	const struct matrix *m = d->results->matrix;
	const struct matrix_cell *cell = &m->cell[number];
	auto_free char *page = results_path(d->results, number, "page.html");
	auto_free char *dir = xasprintf("%s/%s", d->results->dir, d->results->cell[number].folder);
	struct value *words = value_list();
	enum matrix_axis i;
	size_t k;

	add_option(words, "run", "--color=never");
	add_option(words, "--output", dir);
	add_option(words, "--html", page);
	for (i = 0; i < AXES; i++)
		if (matrix_axes[i].option && strcmp(matrix_value(m, cell, i), matrix_axes[i].fallback) != 0)
			add_option(words, matrix_axes[i].option, word_of(m, cell, i));
	add_target(words, cell, word_of(m, cell, AXIS_TARGET));
	for (k = 0; k < d->args.count; k++)
		add_word(words, d->args.item[k]);
	return words;
}

/*
 * The text of cell.json: all that a cell depends on. It has no path of this machine, so that a
 * folder of cells can come from another one.
 */
static char *record_of(const struct drive *d, size_t number)
{
	const struct matrix_cell *cell = &d->results->matrix->cell[number];
	auto_value struct value *record = value_map();

	value_set_string(record, "cell", cell->name);
	value_set_string(record, "version", PACKAGE_VERSION);
	if (cell->release)
		value_set_string(record, "kernel", cell->release);
	value_set_string(record, "rdma_core", cell->version);
	value_set(record, "files", value_dup(d->files));
	return json_write(record);
}

/* Whether the cell is complete, and was made from the same. */
static bool reuse_cell(struct drive *d, size_t number)
{
	auto_free char *path = results_path(d->results, number, "cell.json"), *old = NULL;
	auto_free char *now = record_of(d, number);

	if (d->fresh || file_read_max(path, TEXT_FILE_MAX, &old, NULL, NULL) < 0)
		return false;
	if (strcmp(old, now) != 0)
		return false;
	results_read(d->results, number, -1);
	return d->results->cell[number].state == CELL_RAN;
}

static int open_in(const struct results *r, size_t cell, const char *file, struct vbm_error *err)
{
	auto_free char *path = results_path(r, cell, file);
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);

	return fd >= 0 ? fd : vbm_fail(err, errno, "cannot write %s: %s", path, strerror(errno));
}

/* The summary of an older run would look like that of this one. */
static int prepare_cell(const struct drive *d, size_t cell, struct vbm_error *err)
{
	auto_free char *dir = xasprintf("%s/%s", d->results->dir, d->results->cell[cell].folder);
	auto_free char *summary = results_path(d->results, cell, "summary.json");
	auto_free char *record = results_path(d->results, cell, "cell.json"), *text = NULL;
	int rc = file_make_dirs(dir, err);

	if (rc < 0)
		return rc;
	if (unlink(summary) < 0 && errno != ENOENT)
		return vbm_fail(err, errno, "cannot remove %s: %s", summary, strerror(errno));
	text = record_of(d, cell);
	return file_replace(record, text, err);
}

static _Noreturn void be_run(const struct value *words, bool several, pid_t parent, const int *stdio)
{
	const struct child_setup setup = {.parent = parent, .death_signal = SIGTERM, .stdio = stdio};
	char **argv = xcalloc(words->list.count + 4, sizeof(*argv));
	static char name[] = "verbatim", jobs[] = "--jobs=1";
	size_t i, n = 0;

	argv[n++] = name;
	argv[n++] = words->list.item[0]->s;
	if (several)
		argv[n++] = jobs;
	for (i = 1; i < words->list.count; i++)
		argv[n++] = words->list.item[i]->s;
	if (child_begin(&setup) == 0)
		execv("/proc/self/exe", argv);
	_exit(127);
}

static void on_end(struct watch *w, uint32_t events);

static int start_cell(struct driving *g, struct running *run, size_t cell, struct vbm_error *err)
{
	const struct drive *d = g->drive;
	auto_value struct value *words = drive_words(d, cell);
	auto_close int out = -1, said = -1;
	int rc = prepare_cell(d, cell, err), pidfd;
	pid_t self = getpid();

	if (rc == 0)
		rc = out = open_in(d->results, cell, "report.txt", err);
	if (rc >= 0)
		rc = said = open_in(d->results, cell, "errors.txt", err);
	if (rc < 0)
		return rc;
	*run = (struct running){.driving = g, .cell = cell, .pid = fork()};
	if (run->pid == 0) {
		const int stdio[] = {-1, out, said};

		be_run(words, d->jobs > 1, self, stdio);
	}
	pidfd = run->pid < 0 ? -1 : pidfd_open(run->pid, 0);
	if (pidfd < 0) {
		vbm_fail(err, errno, "cannot start a run: %s", strerror(errno));
		child_end(run->pid);
		run->pid = 0;
		return -err->code;
	}
	watch_add(&g->loop, &run->ended, pidfd, POLLIN, on_end);
	g->count++;
	return 0;
}

static void report_cell(const struct drive *d, size_t cell)
{
	const struct cell_result *c = &d->results->cell[cell];
	auto_free char *counts = results_counts(c);
	const char *name = d->results->matrix->cell[cell].name;

	if (c->state == CELL_RAN)
		visible_complain("%s: %s%s", name, counts, c->kept ? " (kept)" : "");
	else
		visible_complain("%s: %s: %s", name, cell_state_names[c->state], c->why);
}

static void on_end(struct watch *w, uint32_t events)
{
	struct running *run = OWNER_OF(w, struct running, ended);
	struct driving *g = run->driving;
	int status = 0;

	(void)events;
	while (waitpid(run->pid, &status, 0) < 0 && errno == EINTR)
		;
	vbm_loop_remove(&g->loop, w);
	close(w->fd);
	run->pid = 0;
	g->count--;
	results_read(g->drive->results, run->cell, status);
	report_cell(g->drive, run->cell);
}

/* The runs end by themselves after a signal: they undo what they did, and write a summary. */
static void end_all(struct driving *g)
{
	int i;

	for (i = 0; i < g->drive->jobs; i++)
		if (g->run[i].pid)
			pidfd_send_signal(g->run[i].ended.fd, SIGTERM, NULL, 0);
}

static void on_signal(struct watch *w, uint32_t events)
{
	struct driving *g = OWNER_OF(w, struct driving, signals);

	(void)events;
	if (signals_take(g->drive->signals))
		end_all(g);
}

/* Says whether an earlier call began it, for example a task of a batch system that was killed. */
static void skip_cell(struct drive *d, size_t cell)
{
	auto_free char *record = results_path(d->results, cell, "cell.json");
	struct cell_result *c = &d->results->cell[cell];

	c->state = CELL_WAITS;
	c->why = xstrdup(access(record, F_OK) == 0 ? "an earlier call began it and did not complete it, or used other files" :
						     "no earlier call began it");
	report_cell(d, cell);
}

/* The next cell from *@at on that is this call's and not complete; false: there is none. */
static bool next_cell(struct drive *d, size_t *at)
{
	for (; *at < d->results->matrix->cells; (*at)++) {
		if (reuse_cell(d, *at))
			report_cell(d, *at);
		else if (d->mine && !d->mine[*at])
			d->results->cell[*at].state = CELL_ELSEWHERE;
		else if (d->no_run)
			skip_cell(d, *at);
		else
			return true;
	}
	return false;
}

/* Starts runs while there are cells and free jobs. */
static int start_more(struct driving *g, size_t *at, struct vbm_error *err)
{
	struct drive *d = g->drive;
	int i, rc = 0;

	for (i = 0; rc == 0 && i < d->jobs && !d->signals->caught; i++)
		if (!g->run[i].pid && next_cell(d, at))
			rc = start_cell(g, &g->run[i], (*at)++, err);
	if (rc < 0)
		end_all(g);
	return rc;
}

int drive_cells(struct drive *d, struct vbm_error *err)
{
	struct driving g = {.drive = d, .run = xcalloc((size_t)d->jobs, sizeof(*g.run))};
	size_t at = 0;
	int rc;

	vbm_loop_init_plain(&g.loop);
	watch_add(&g.loop, &g.signals, d->signals->fd, POLLIN, on_signal);
	rc = start_more(&g, &at, err);
	while (g.count) {
		vbm_loop_run(&g.loop, -1);
		if (rc == 0)
			rc = start_more(&g, &at, err);
	}
	vbm_loop_fini(&g.loop);
	free(g.run);
	return rc;
}
