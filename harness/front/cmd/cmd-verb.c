/* SPDX-License-Identifier: BSD-2-Clause */
#include "cmd/cmd-verb.h"

#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/own-path.h"
#include "base/suggest.h"
#include "base/visible.h"
#include "base/xalloc.h"
#include "cmd/cmd.h"

void cmd_verb_synopsis(const struct cmd_verbs *v, FILE *f)
{
	size_t i;

	for (i = 0; i < v->count; i++)
		fprintf(f, "%s verbatim %s %s%s\n", i ? "      " : "Usage:", v->command, v->verb[i].name,
			v->verb[i].args);
}

void cmd_verb_docs(const struct cmd_verbs *v, FILE *f)
{
	size_t i;

	for (i = 0; i < v->count; i++)
		fprintf(f, "  %-8s %s\n", v->verb[i].name, v->verb[i].doc);
}

int cmd_verb_run(const struct cmd_verbs *v, int argc, char **argv)
{
	struct suggestion s;
	auto_free char *hint = NULL;
	size_t i;

	if (argc < 2)
		return v->usage(stderr);
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))
		return v->usage(stdout);
	suggest_init(&s, argv[1]);
	for (i = 0; i < v->count; i++) {
		if (!strcmp(argv[1], v->verb[i].name))
			return v->verb[i].run(argc - 2, argv + 2);
		suggest_offer(&s, v->verb[i].name);
	}
	hint = suggest_ending(suggest_best(&s));
	visible_complain("%s: unknown verb '%s'%s", v->command, argv[1], hint);
	return v->usage(stderr);
}

int cmd_verb_wrong(const struct cmd_verbs *v, const char *verb, const char *what)
{
	visible_complain("%s %s: %s", v->command, verb, what);
	return v->usage(stderr);
}

static const int ending[] = {SIGINT, SIGTERM, SIGHUP};

/* Only the handler of the signals uses this. */
static pid_t script;

static void pass_on(int signal)
{
	int saved = errno;

	kill(script, signal);
	errno = saved;
}

/* A signal that this process inherited as ignored (nohup) stays ignored. */
static void pass_signals_on(void)
{
	const struct sigaction pass = {.sa_handler = pass_on};
	struct sigaction old;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(ending); i++)
		if (sigaction(ending[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
			sigaction(ending[i], &pass, NULL);
}

/* Signals are blocked until the handlers are set, so that none is lost. */
static int start_script(const char *path, char **argv)
{
	posix_spawnattr_t attr;
	sigset_t held, old;
	size_t i;
	int ret;

	sigemptyset(&held);
	for (i = 0; i < ARRAY_SIZE(ending); i++)
		sigaddset(&held, ending[i]);
	sigprocmask(SIG_BLOCK, &held, &old);
	posix_spawnattr_init(&attr);
	posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGMASK);
	posix_spawnattr_setsigmask(&attr, &old);
	ret = posix_spawn(&script, path, NULL, &attr, argv, environ);
	posix_spawnattr_destroy(&attr);
	if (ret == 0)
		pass_signals_on();
	sigprocmask(SIG_SETMASK, &old, NULL);
	return ret;
}

int cmd_script(const char *name, char **argv)
{
	auto_free char *path = own_private_path(name);
	int ret, status;

	argv[0] = path;
	ret = start_script(path, argv);
	if (ret) {
		visible_complain("cannot run %s: %s", path, strerror(ret));
		return EXIT_NO_FABRIC;
	}
	while (waitpid(script, &status, 0) < 0)
		if (errno != EINTR)
			return EXIT_NO_FABRIC;
	if (WIFSIGNALED(status))
		return 128 + WTERMSIG(status);
	ret = WEXITSTATUS(status);
	return ret > 128 || ret == 0 ? ret : ret == 2 ? EXIT_USAGE : EXIT_NO_FABRIC;
}
