/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <limits.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "base/cleanup.h"
#include "base/suggest.h"
#include "base/xalloc.h"
#include "cmd.h"
#include "guest/kernel.h"

/* What "kernel fetch" without a name gets: one of each kind. */
static const char *const usual[] = {"trixie-backports", "6.1", "6.12"};

static int usage(FILE *f)
{
	fputs("Usage: verbatim kernel list\n"
	      "       verbatim kernel fetch [NAME]...\n"
	      "       verbatim kernel default [NAME]\n\n"
	      "Kernels that guests boot. NAME is a version (6.1, 6.12, 7.2) or a Debian suite\n"
	      "(trixie-backports), for the kernel it carries now. Without a name, fetch gets\n"
	      "trixie-backports, 6.1 and 6.12, and default says which kernel a run takes.\n"
	      "A run also takes --kernel PATH-TO-VMLINUZ and --kernel running.\n", f);
	return f == stdout ? EXIT_OK : EXIT_USAGE;
}

static int list(int argc, char **argv)
{
	auto_kernel_list struct kernel_list all = {0};
	auto_kernel struct kernel chosen = {0};
	size_t i;

	(void)argv;
	if (argc)
		return usage(stderr);
	kernel_store_list(&all);
	if (!all.count) {
		puts("no guest kernel yet; fetch them: verbatim kernel fetch");
		return EXIT_OK;
	}
	kernel_find(&chosen, NULL, NULL);
	for (i = 0; i < all.count; i++)
		printf("%s %-28s %s\n", strcmp(all.item[i].release, chosen.release) ? " " : "*",
		       all.item[i].release, all.item[i].suite);
	return EXIT_OK;
}

/*
 * The script lies in the source tree of an uninstalled program, which is in
 * build/ there, or beside the other private programs of an installed one.
 */
static char *fetch_script(void)
{
	static const char *const from_program[] = {"../scripts", "scripts", "../../scripts"};
	char self[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	const char *env = getenv("VERBATIM_LIBEXECDIR");
	char *path, *slash;
	size_t i;

	if (env)
		return xasprintf("%s/fetch-kernel", env);
	self[n > 0 ? n : 0] = '\0';
	slash = strrchr(self, '/');
	for (i = 0; slash && i < ARRAY_SIZE(from_program); i++) {
		path = xasprintf("%.*s/%s/fetch-kernel", (int)(slash - self), self,
				 from_program[i]);
		if (access(path, X_OK) == 0)
			return path;
		free(path);
	}
	/* libtool runs an uninstalled program from .libs/ */
	return xstrdup(PKGLIBEXECDIR "/fetch-kernel");
}

static int fetch_one(const char *script, const char *name)
{
	auto_free char *store = kernel_store(), *path = xstrdup(script), *arg = xstrdup(name);
	char *argv[] = {path, arg, store, NULL};
	int ret, status;
	pid_t pid;

	ret = posix_spawn(&pid, script, NULL, NULL, argv, environ);
	if (ret) {
		fprintf(stderr, "verbatim: cannot run %s: %s\n", script, strerror(ret));
		return EXIT_NO_FABRIC;
	}
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return EXIT_NO_FABRIC;
	return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? EXIT_OK : EXIT_NO_FABRIC;
}

static int fetch(int argc, char **argv)
{
	auto_free char *script = fetch_script();
	int i, ret = EXIT_OK;

	for (i = 0; i < (argc ? argc : (int)ARRAY_SIZE(usual)); i++) {
		ret = fetch_one(script, argc ? argv[i] : usual[i]);
		if (ret)
			break;
	}
	return ret;
}

static int set_default(int argc, char **argv)
{
	auto_kernel struct kernel k = {0};
	struct vbm_error err = {0};

	if (argc > 1)
		return usage(stderr);
	if ((argc == 1 && kernel_set_default(argv[0], &err) < 0) ||
	    kernel_find(&k, NULL, &err) < 0) {
		fprintf(stderr, "verbatim: %s\n", err.msg);
		return EXIT_NO_FABRIC;
	}
	puts(k.release);
	return EXIT_OK;
}

static int run(int argc, char **argv)
{
	static const struct {
		const char *name;
		int (*run)(int argc, char **argv);
	} verbs[] = {{"list", list}, {"fetch", fetch}, {"default", set_default}};
	struct suggestion s;
	auto_free char *hint = NULL;
	size_t i;

	if (argc < 2)
		return usage(stderr);
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))
		return usage(stdout);
	suggest_init(&s, argv[1]);
	for (i = 0; i < ARRAY_SIZE(verbs); i++) {
		if (!strcmp(argv[1], verbs[i].name))
			return verbs[i].run(argc - 2, argv + 2);
		suggest_offer(&s, verbs[i].name);
	}
	hint = suggest_ending(suggest_best(&s));
	fprintf(stderr, "verbatim kernel: unknown verb '%s'%s\n", argv[1], hint);
	return usage(stderr);
}

const struct cmd cmd_kernel = {
	.name = "kernel",
	.args = "list|fetch|default [NAME]...",
	.doc = "the kernels that guests boot",
	.run = run,
};
