/* SPDX-License-Identifier: BSD-2-Clause */
#include "session/exec-report.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/text.h"
#include "base/value.h"
#include "base/visible.h"
#include "base/xalloc.h"
#include "event/read.h"
#include "lib/base/fail.h"
#include "session/exec.h"

static bool is_empty(const char *path)
{
	auto_dir DIR *dir = opendir(path);
	const struct dirent *e;

	while (dir && (e = readdir(dir)))
		if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
			return false;
	return true;
}

int exec_output_open(struct exec_output *o, const char *path, const struct exec_options *opts,
		     struct vbm_error *err)
{
	size_t i;
	int ret;

	if (!path)
		return 0;
	ret = file_make_dirs(path, err);
	if (ret < 0)
		return ret;
	o->dir_fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (o->dir_fd < 0)
		return vbm_fail(err, errno, "--output %s: %s", path, strerror(errno));
	ret = file_hold_folder(o->dir_fd, path, err);
	if (ret == 0 && !is_empty(path))
		ret = vbm_fail(err, EEXIST, "--output %s: the folder is not empty; name another one", path);
	if (ret < 0) {
		close(steal_fd(&o->dir_fd));
		return ret;
	}
	o->path = xstrdup(path);
	o->status = xcalloc(opts->count, sizeof(*o->status));
	for (i = 0; i < opts->count; i++)
		o->status[i] = -1;
	return 0;
}

/* A file that exists already is not ours, so it is not opened. */
static int open_new(struct exec_output *o, const char *file)
{
	int fd = openat(o->dir_fd, file, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0644);

	if (fd < 0)
		return -errno;
	GROW(o->file, o->files);
	o->file[o->files++] = (struct exec_output_file){xstrdup(file), fd};
	return fd;
}

static int open_file(struct exec_output *o, const char *file)
{
	size_t i;

	for (i = 0; i < o->files; i++)
		if (!strcmp(o->file[i].name, file))
			return o->file[i].fd;
	return open_new(o, file);
}

static int append_output(struct exec_output *o, const char *file, const char *data, size_t len)
{
	int fd = open_file(o, file);

	return fd < 0 ? fd : file_write(fd, data, len);
}

int exec_output_write(struct exec_output *o, const struct exec_options *opts, size_t command,
		      int stream, const char *data, size_t len, struct vbm_error *err)
{
	auto_free char *name = NULL;
	int ret;

	if (o->dir_fd < 0)
		return 0;
	name = xasprintf("%zu-%s.%s", command + 1, opts->commands[command].host,
			 stream == 1 ? "out" : "err");
	ret = append_output(o, name, data, len);
	return ret < 0 ? vbm_fail(err, -ret, "cannot write %s/%s: %s", o->path, name, strerror(-ret)) : 0;
}

void exec_output_status(struct exec_output *o, size_t command, int status)
{
	if (o->dir_fd >= 0)
		o->status[command] = status;
}

void exec_output_note(struct exec_output *o, const char *file, const char *text)
{
	int ret = o->dir_fd < 0 ? 0 : append_output(o, file, text, strlen(text));

	if (ret < 0)
		visible_complain("cannot write %s/%s: %s", o->path, file, strerror(-ret));
}

/* Escapes a tab, a newline and a backslash, which would make new cells and lines. */
static void add_cell(struct text *out, const char *s)
{
	static const char special[] = "\t\n\\", shown[] = "tn\\";
	size_t n;

	for (; *s; s += n) {
		n = strcspn(s, special);
		text_add_bytes(out, s, n);
		if (s[n])
			text_addf(out, "\\%c", shown[strchr(special, s[n]) - special]);
		n += s[n] != '\0';
	}
}

void exec_output_counters(struct exec_output *o, const struct value *event)
{
	const struct value *values = event_map(event, "values");
	const char *host = event_string(event, "host");
	auto_text struct text out = {0};
	const struct value_member *m;
	size_t i;

	for (i = 0; i < values->map.count; i++) {
		m = &values->map.member[i];
		add_cell(&out, host);
		text_add(&out, "\t");
		add_cell(&out, m->key);
		text_addf(&out, "\t%" PRId64 "\n", m->value->i);
	}
	if (out.len)
		exec_output_note(o, "counters.tsv", out.s);
}

void exec_output_close(struct exec_output *o, const struct exec_options *opts)
{
	auto_text struct text out = {0};
	const struct exec_command *c;
	size_t i;

	if (o->dir_fd < 0)
		return;
	for (i = 0; i < opts->count; i++) {
		c = &opts->commands[i];
		text_addf(&out, "%zu\t%s\t", i + 1, c->host);
		if (o->status[i] < 0)
			text_add(&out, "-\t");
		else
			text_addf(&out, "%d\t", o->status[i]);
		add_cell(&out, c->text);
		text_add(&out, "\n");
	}
	exec_output_note(o, "commands.tsv", out.s);
	for (i = 0; i < o->files; i++) {
		free(o->file[i].name);
		close(o->file[i].fd);
	}
	free(o->file);
	free(o->status);
	free(o->path);
	close(steal_fd(&o->dir_fd));
}
