/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_TESTS_CMOCKA_ALL_H
#define VBM_TESTS_CMOCKA_ALL_H

/* cmocka needs these four before it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

/*
 * A test program defines its tests and this list; main() is shared (main.c):
 * it selects TAP and turns the count of failures into an exit status.
 */
extern const struct CMUnitTest vbm_tests[];
extern const size_t vbm_test_count;

#define VBM_TESTS(...)                                                        \
	const struct CMUnitTest vbm_tests[] = {__VA_ARGS__};                  \
	const size_t vbm_test_count = sizeof(vbm_tests) / sizeof(vbm_tests[0])

/* The path of a file of tests/data, in a static buffer. */
const char *test_data(const char *name);

#endif
