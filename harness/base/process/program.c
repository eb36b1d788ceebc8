/* SPDX-License-Identifier: BSD-2-Clause */
#include "process/program.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/wait.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/strlist.h"
#include "base/xalloc.h"
#include "lib/base/fail.h"
#include "process/child.h"

static void __attribute__((noreturn))
run_child(char *const *argv, int out, int errors, pid_t parent)
{
	const int stdio[] = {-1, out, errors};

	if (child_begin(&(struct child_setup){.parent = parent, .stdio = stdio}) < 0)
		_exit(126);
	execvp(argv[0], argv);
	_exit(errno == ENOENT ? 127 : 126);
}

/* Read the program's output, to its end or to a negative errno. */
struct program_reader {
	int (*read)(const struct program_reader *r, int in);
	size_t max;
	char **data;	/* to memory */
	size_t *len;
	int fd;		/* or to a file */
};

static int into_memory(const struct program_reader *r, int in)
{
	return file_fd_read_rest(in, r->max, r->data, r->len);
}

static int into_file(const struct program_reader *r, int in)
{
	return file_fd_copy(in, r->max, r->fd);
}

static int run_program(char *const *argv, bool errors, const struct program_reader *r, int *status,
		       struct vbm_error *err)
{
	auto_close int in = -1, out = -1;
	pid_t parent = getpid(), pid;
	int pipefd[2], ret;

	if (pipe2(pipefd, O_CLOEXEC) < 0)
		return vbm_fail(err, errno, "cannot run %s: %m", argv[0]);
	in = pipefd[0];
	out = pipefd[1];
	pid = fork();
	if (pid < 0)
		return vbm_fail(err, errno, "cannot run %s: %m", argv[0]);
	if (pid == 0)
		run_child(argv, out, errors ? out : -1, parent);
	close(steal_fd(&out));
	ret = r->read(r, in);
	if (ret < 0)
		kill(pid, SIGKILL);
	while (waitpid(pid, status, 0) < 0 && errno == EINTR)
		;
	if (ret == -EFBIG)
		return vbm_fail(err, EFBIG, "%s writes more than %zu bytes", argv[0], r->max);
	if (ret < 0)
		return vbm_fail(err, -ret, "cannot read the output of %s: %s", argv[0],
				strerror(-ret));
	return 0;
}

int program_says(char *const *argv, char **data, int *status, struct vbm_error *err)
{
	const struct program_reader r = {.read = into_memory, .max = PROGRAM_SAYS_MAX, .data = data};

	return run_program(argv, true, &r, status, err);
}

static int succeed(char *const *argv, const struct program_reader *r, struct vbm_error *err)
{
	int status = 0, ret = run_program(argv, false, r, &status, err);

	if (ret < 0)
		return ret;
	if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
		return vbm_fail(err, ENOENT, "%s is not installed", argv[0]);
	if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
		return vbm_fail(err, EIO, "%s %s failed", argv[0], argv[1] ? argv[1] : "");
	return 0;
}

int program_output(char *const *argv, size_t max, char **data, size_t *len,
		   struct vbm_error *err)
{
	auto_free char *text = NULL;
	const struct program_reader r = {.read = into_memory, .max = max, .data = &text, .len = len};
	int ret = succeed(argv, &r, err);

	if (ret == 0)
		*data = steal(&text);
	return ret;
}

int program_fill(char *const *argv, size_t max, int fd, struct vbm_error *err)
{
	const struct program_reader r = {.read = into_file, .max = max, .fd = fd};

	return succeed(argv, &r, err);
}

/* Lines are "NAME => PATH (0xADDRESS)", "PATH (0xADDRESS)" or "NAME (0x...)". */
int program_parse_loader_list(char *text, struct string_list *out, struct vbm_error *err)
{
	char *line, *path, *end;

	while ((line = file_next_line(&text))) {
		line += strspn(line, " \t");
		path = strstr(line, " => ");
		path = path ? path + 4 : line;
		if (!strncmp(path, "not found", 9))
			return vbm_fail(err, ENOENT, "%.*s is not found",
					(int)strcspn(line, " "), line);
		end = strstr(path, " (0x");
		if (path[0] != '/' || !end)
			continue;
		*end = '\0';
		string_list_add(out, path);
	}
	return 0;
}

static const Elf64_Phdr *segment(const char *elf, size_t len, unsigned int type)
{
	const Elf64_Ehdr *eh = (const void *)elf;
	const Elf64_Phdr *ph;
	int i;

	if (len < sizeof(*eh) || memcmp(elf, ELFMAG, SELFMAG) != 0 || eh->e_phoff > len ||
	    (len - eh->e_phoff) / sizeof(*ph) < eh->e_phnum)
		return NULL;
	ph = (const void *)(elf + eh->e_phoff);
	for (i = 0; i < eh->e_phnum; i++)
		if (ph[i].p_type == type && ph[i].p_offset < len &&
		    ph[i].p_filesz < len - ph[i].p_offset)
			return &ph[i];
	return NULL;
}

static char *interpreter_of(const char *elf, size_t len)
{
	const Elf64_Phdr *ph = segment(elf, len, PT_INTERP);

	return ph ? xstrndup(elf + ph->p_offset, ph->p_filesz) : NULL;
}

int program_libraries(const char *path, struct string_list *out, struct vbm_error *err)
{
	auto_free char *elf = NULL, *loader = NULL, *text = NULL, *self = NULL, *copy = NULL;
	char *argv[] = {NULL, NULL, NULL, NULL};
	char list[] = "--list";
	size_t len;
	int ret;

	ret = file_read(path, &elf, &len, err);
	if (ret < 0)
		return ret;
	if (!segment(elf, len, PT_DYNAMIC))
		return 0;
	loader = interpreter_of(elf, len);
	if (!loader) {
		/* A shared object names no loader, and this program's loader will load it. */
		ret = file_read("/proc/self/exe", &self, &len, err);
		if (ret < 0)
			return ret;
		loader = interpreter_of(self, len);
	}
	if (!loader)
		return 0;
	argv[0] = loader;
	argv[1] = list;
	argv[2] = copy = xstrdup(path);
	ret = program_output(argv, PROGRAM_SAYS_MAX, &text, &len, err) ?:
	      program_parse_loader_list(text, out, err);
	if (ret < 0)
		return vbm_wrap(err, "shared libraries of %s", path);
	string_list_add(out, loader);
	return 0;
}
