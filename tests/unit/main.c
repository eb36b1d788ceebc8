/* SPDX-License-Identifier: BSD-2-Clause */
#include "cmocka_all.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

const char *test_data(const char *name)
{
	static char path[4096];
	const char *src = getenv("VBM_SRCDIR");

	snprintf(path, sizeof(path), "%s/tests/data/%s", src ? src : ".", name);
	return path;
}

static struct unit *units;

void unit_add(struct unit *u, const char *file, struct test *t)
{
	struct test **at = &u->tests;

	if (!u->file) {
		u->file = file;
		u->next = units;
		units = u;
	}
	while (*at && (*at)->place < t->place)
		at = &(*at)->next;
	t->next = *at;
	*at = t;
	u->count++;
}

/* The name of a file of tests, without folder and ".c". */
static bool has_name(const struct unit *u, const char *name)
{
	const char *slash = strrchr(u->file, '/'), *base = slash ? slash + 1 : u->file;
	size_t len = strcspn(base, ".");

	return strlen(name) == len && !strncmp(base, name, len);
}

static const struct unit *find_unit(const char *name)
{
	const struct unit *u;

	for (u = units; u; u = u->next)
		if (has_name(u, name))
			return u;
	return NULL;
}

static int skip_all(const struct unit *u, const char *why)
{
	size_t i = 0;

	printf("1..%zu\n", u->count);
	for (const struct test *t = u->tests; t; t = t->next)
		printf("ok %zu - %s # SKIP %s\n", ++i, t->run.name, why);
	return 0;
}

static int run_unit(const struct unit *u)
{
	const char *why = u->obstacle ? u->obstacle() : NULL;
	struct CMUnitTest *tests, *run;
	int failed;

	if (why)
		return skip_all(u, why);
	tests = run = calloc(u->count, sizeof(*tests));
	if (!tests) {
		perror("unit");
		return 2;
	}
	for (const struct test *t = u->tests; t; t = t->next, run++) {
		*run = t->run;
		if (!run->setup_func && !run->teardown_func) {
			run->setup_func = u->each.before;
			run->teardown_func = u->each.after;
		}
	}
	failed = _cmocka_run_group_tests("unit", tests, u->count, u->all.before, u->all.after);
	free(tests);
	return failed ? 1 : 0;
}

/*
 * Each file runs in a process of its own, so that no test depends on the tests of another
 * file.
 */
static int run_apart(const char *name)
{
	const struct unit *u = find_unit(name);
	int status = 0;
	pid_t pid;

	if (!u) {
		fprintf(stderr, "unit: no file of tests here is called '%s'\n", name);
		return 2;
	}
	printf("# %s\n", name);
	pid = fork();
	if (pid == 0)
		exit(run_unit(u));
	if (pid < 0 || waitpid(pid, &status, 0) < 0) {
		perror("unit");
		return 2;
	}
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/*
 * unit NAME...: runs the tests of these files. Without a NAME, a program of one file runs
 * that file, and a link called test_NAME runs test_NAME.c. The exit status is 1 when a
 * test failed.
 */
int main(int argc, char **argv)
{
	const char *slash = strrchr(argv[0], '/');
	const struct unit *u = find_unit(slash ? slash + 1 : argv[0]);
	int status = 0, i;

	setvbuf(stdout, NULL, _IONBF, 0);
	cmocka_set_message_output(CM_OUTPUT_TAP);
	if (!u && units && !units->next)
		u = units;
	if (argc < 2 && u)
		return run_unit(u);
	if (argc < 2) {
		for (u = units; u; u = u->next)
			fprintf(stderr, "%s\n", u->file);
		fprintf(stderr, "unit: name one or more of these, as in: unit test_yaml\n");
		return 2;
	}
	for (i = 1; i < argc; i++) {
		int one = run_apart(argv[i]);

		status = one > status ? one : status;
	}
	return status;
}
