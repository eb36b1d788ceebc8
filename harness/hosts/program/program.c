/* SPDX-License-Identifier: BSD-2-Clause */
#include "program/program.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/search-path.h"
#include "base/text.h"
#include "base/xalloc.h"
#include "lib/base/fail.h"
#include "program/spawn.h"

struct program {
	pid_t pid;
	int pidfd;		/* owned; -1: the program has ended */
	int status;
	struct collector collector;
};

int program_look(const char *name, const char *cwd, char **envp, struct vbm_error *err)
{
	const char *rest = strncmp(name, "./", 2) ? name : name + 2;
	auto_free char *file = *name == '/' ? xstrdup(name) :
			       xasprintf("%s/%s", strcmp(cwd, "/") ? cwd : "", rest);
	struct stat st;

	if (stat(cwd, &st) < 0 || !S_ISDIR(st.st_mode))
		return vbm_fail(err, ENOENT, "there is no folder %s (a guest does not have this machine's /dev, /proc, /run and /sys)",
				cwd);
	if (!strchr(name, '/') && !search_path_has(-1, search_path_of(envp), name))
		return vbm_fail(err, ENOENT, "no program '%s' is in PATH; a program beside the scenario is './%s'",
				name, name);
	if (strchr(name, '/') && !search_path_is_executable(-1, file))
		return vbm_fail(err, ENOENT, "%s is %s", file,
				access(file, F_OK) == 0 ? "not a program (a file that may be executed)" : "not there");
	return 0;
}

static int open_input(const char *input, int *fd, struct vbm_error *err)
{
	if (!input)
		return 0;
	*fd = memfd_create("program-input", MFD_CLOEXEC);
	if (*fd < 0 || file_write(*fd, input, strlen(input)) < 0 || lseek(*fd, 0, SEEK_SET) < 0)
		return vbm_fail(err, errno, "cannot store the input of a program: %s",
				strerror(errno));
	return 0;
}

int program_start(struct program **out, const struct program_setup *setup,
		  struct vbm_error *err)
{
	auto_close int in = -1, theirs_out = -1, theirs_err = -1, ours_out = -1, ours_err = -1;
	struct program *p = xcalloc(1, sizeof(*p));
	int ret = open_input(setup->input, &in, err);

	*p = (struct program){.pidfd = -1, .collector = COLLECTOR_NONE};
	if (ret == 0)
		ret = spawn_terminal_raw(&ours_out, &theirs_out, err);
	if (ret == 0)
		ret = spawn_pipe(&ours_err, &theirs_err, true, err);
	if (ret == 0)
		ret = collector_start(&p->collector, &(struct collector_setup){
			.name = setup->name,
			.from = {ours_out, ours_err},
			.log_fd = setup->log_fd,
			.token_fd = setup->home->token_fd,
		}, err);
	if (ret == 0)
		ret = spawn_start(&(struct spawn){
			.process_ns = &setup->home->ns,
			.argv = setup->argv,
			.envp = setup->envp,
			.cwd = setup->cwd,
			.stdio = {in, theirs_out, theirs_err},
		}, &p->pid, &p->pidfd, err);
	if (ret < 0) {
		program_free(p);
		return ret;
	}
	*out = p;
	return 0;
}

static void reap_program(struct program *p)
{
	p->status = spawn_reap_status(p->pid);
	close(steal_fd(&p->pidfd));
	collector_end(&p->collector);
}

static void wait_for(struct program *p, int news, int64_t deadline_ns)
{
	struct pollfd wait[] = {
		{.fd = p->pidfd, .events = POLLIN},
		{.fd = news, .events = POLLIN},
	};
	eventfd_t ignored;

	if (p->pidfd < 0 || poll(wait, ARRAY_SIZE(wait), clock_left_ms(deadline_ns)) <= 0)
		return;
	if (wait[1].revents && news >= 0)
		eventfd_read(news, &ignored);
	if (wait[0].revents)
		reap_program(p);
}

bool program_runs(struct program *p)
{
	wait_for(p, -1, 0);
	return p->pidfd >= 0;
}

int program_wait(struct program *p, int64_t deadline_ns)
{
	while (p->pidfd >= 0 && clock_left_ms(deadline_ns) > 0)
		wait_for(p, -1, deadline_ns);
	return program_runs(p) ? -ETIMEDOUT : 0;
}

void program_wait_news(struct program *p, int64_t deadline_ns)
{
	wait_for(p, p->collector.news, deadline_ns);
}

void program_signal(struct program *p, int sig)
{
	if (program_runs(p))
		spawn_signal(p->pid, sig);
}

int program_status(const struct program *p)
{
	return p->status;
}

pid_t program_session(const struct program *p)
{
	return p->pid;
}

uint64_t program_read(const struct program *p, int which, struct text *out)
{
	return collector_read(&p->collector, which, out);
}

void program_free(struct program *p)
{
	if (!p)
		return;
	if (p->pidfd >= 0) {
		spawn_signal(p->pid, SIGKILL);
		reap_program(p);
	}
	collector_fini(&p->collector);
	free(p);
}

/* @grows, or NULL: whether the group reaches to the end of a line without a newline. */
static bool find_line(const struct text *text, const regex_t *regex, char **line, char **match, bool *grows)
{
	const char *at = text->s, *end = at ? at + text->len : at, *nl;
	regmatch_t m[2];
	int group;

	for (; at && at < end; at = nl ? nl + 1 : end) {
		auto_free char *one = NULL;

		nl = memchr(at, '\n', (size_t)(end - at));
		one = xstrndup(at, (size_t)((nl ? nl : end) - at));
		if (regexec(regex, one, ARRAY_SIZE(m), m, 0) != 0)
			continue;
		group = regex->re_nsub && m[1].rm_so >= 0;
		*match = xstrndup(one + m[group].rm_so, (size_t)(m[group].rm_eo - m[group].rm_so));
		if (grows)
			*grows = group && !nl && !one[m[1].rm_eo];
		*line = steal(&one);
		return true;
	}
	return false;
}

bool program_line(const struct text *text, const regex_t *regex, char **line, char **match)
{
	return find_line(text, regex, line, match, NULL);
}

bool program_line_grows(const struct text *text, const regex_t *regex)
{
	auto_free char *line = NULL, *match = NULL;
	bool grows = false;

	find_line(text, regex, &line, &match, &grows);
	return grows;
}

/* A NUL byte would end the text, so it is replaced. */
static void add_shown(struct text *out, const char *s, size_t len)
{
	auto_free char *part = NULL;
	size_t n;

	for (; len; s += n, len -= n) {
		n = strnlen(s, len);
		free(part);
		part = xstrndup(s, n);
		text_add_visible(out, part);
		if (n == len)
			return;
		text_add(out, "\\x00");
		n++;
	}
}

char *program_shown(const struct text *text, uint64_t lost, size_t max, uint64_t *left_out)
{
	size_t len = text->len, half = max / 2;
	struct text out = {0};
	uint64_t missing;

	while (len && text->s[len - 1] == '\n')
		len--;
	text_add(&out, "");
	if (len <= max) {
		add_shown(&out, text->s, len);
		return out.s;
	}
	/* The newline in place of the lost bytes does not count. */
	missing = len - 2 * half + (lost ? lost - 1 : 0);
	*left_out += missing;
	add_shown(&out, text->s, half);
	text_addf(&out, "\n(%" PRIu64 " bytes are left out here)\n", missing);
	add_shown(&out, text->s + len - half, half);
	return out.s;
}
