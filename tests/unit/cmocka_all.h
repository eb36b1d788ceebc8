/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_TESTS_CMOCKA_ALL_H
#define VBM_TESTS_CMOCKA_ALL_H

/* cmocka needs these four headers before its own. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

/*
 * A file of tests registers its list under the name of the file before main() runs. Most
 * files are linked into one program, tests/unit/unit. tests/unit/test_NAME is a link to
 * it, and runs the tests of test_NAME.c (main.c).
 */
struct unit {
	const char *file;
	const struct CMUnitTest *tests;
	size_t count;
	CMFixtureFunction setup, teardown;	/* before and after all tests; or NULL */
	const char *(*obstacle)(void);	/* says why all are skipped here, or NULL; may be NULL itself */
	struct unit *next;
};

void unit_register(struct unit *u);

#define VBM_TESTS(...) VBM_TESTS_BETWEEN(NULL, NULL, __VA_ARGS__)
#define VBM_TESTS_BETWEEN(before, after, ...) VBM_TESTS_UNLESS(NULL, before, after, __VA_ARGS__)
#define VBM_TESTS_UNLESS(why, before, after, ...)                             \
	static const struct CMUnitTest unit_tests[] = {__VA_ARGS__};          \
	static struct unit unit_here = {                                      \
		.file = __FILE__, .tests = unit_tests,                        \
		.count = sizeof(unit_tests) / sizeof(unit_tests[0]),          \
		.setup = before, .teardown = after, .obstacle = why,          \
	};                                                                    \
	static void __attribute__((constructor)) unit_begin(void)             \
	{                                                                     \
		unit_register(&unit_here);                                    \
	}                                                                     \
	struct unit

/* The path of a file of tests/data, in a static buffer. */
const char *test_data(const char *name);

#endif
