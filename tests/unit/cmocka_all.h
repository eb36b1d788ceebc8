/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_TESTS_CMOCKA_ALL_H
#define VBM_TESTS_CMOCKA_ALL_H

/* cmocka needs these four headers before its own. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

struct test {
	struct CMUnitTest run;
	int place;	/* in its file: constructors may run in any order */
	struct test *next;
};

/* Functions before and after; or NULL. */
struct around {
	CMFixtureFunction before, after;
};

/*
 * The tests of one file. Most files are linked into one program, tests/unit/unit.
 * tests/unit/test_NAME is a link to it, and runs the tests of test_NAME.c (main.c).
 */
struct unit {
	const char *file;
	struct around all;	/* of all tests together */
	struct around each;	/* of each test that has none of its own */
	const char *(*obstacle)(void);	/* says why all are skipped here, or NULL; may be NULL itself */
	struct test *tests;
	size_t count;
	struct unit *next;
};

void unit_add(struct unit *u, const char *file, struct test *t);

/* A file whose tests have functions or an obstacle in common says so: UNIT(.each = {start, stop}); */
static struct unit unit_here __attribute__((unused));
#define UNIT(...) static struct unit unit_here = {__VA_ARGS__}

/*
 * TEST(test_module__what__outcome) { ... } is a test: a constructor adds it to those of its
 * file before main() runs. Its functions before and after share *state with it.
 */
#define TEST(name) TEST_BETWEEN(name, NULL, NULL)
#define TEST_BETWEEN(name, before, after)                                     \
	static void name(void **state);                                       \
	TEST_ADD(name, name, before, after)                                   \
	static void name(void **state __attribute__((unused)))

/* Adds the test @function, under the name @said. */
#define TEST_ADD(said, function, before, after)                               \
	static void __attribute__((constructor)) add_##said(void)             \
	{                                                                     \
		static struct test t = {                                      \
			.run = {#said, function, before, after, NULL},        \
			.place = __COUNTER__,                                 \
		};                                                            \
                                                                              \
		unit_add(&unit_here, __FILE__, &t);                           \
	}

/* The path of a file of tests/data, in a static buffer. */
const char *test_data(const char *name);

#endif
