/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: call/scarcity.c */
#include "cmocka_all.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/sanitizer.h"
#include "base/value.h"
#include "call/scarcity.h"

/* Sizes for each way in which malloc() gets memory. */
static const size_t sizes[] = {1, 24, 100, 1000, 5000, 100000, 10 << 20};

TEST(test_scarcity__no_memory)
{
	auto_value struct value *args = NULL;
	struct scarcity s;
	bool got[7];
	int code[7];
	void *p;

	if (strcmp(SANITIZER, "none") != 0)
		skip();
	args = value_map();
	value_set(args, "no_memory", value_bool(true));
	scarcity_begin(&s, args);
	for (size_t i = 0; i < 7; i++) {
		errno = 0;
		p = malloc(sizes[i]);
		code[i] = errno;
		got[i] = p;
		free(p);
	}
	errno = EDOM;
	scarcity_end(&s);
	assert_int_equal(errno, EDOM);
	for (size_t i = 0; i < 7; i++) {
		assert_false(got[i]);
		assert_int_equal(code[i], ENOMEM);
		p = malloc(sizes[i]);
		assert_non_null(p);
		free(p);
	}
}

TEST(test_scarcity__spare_fds)
{
	auto_value struct value *args = value_map();
	int fd[3], code, i;
	struct scarcity s;

	value_set_int(args, "spare_fds", 2);
	scarcity_begin(&s, args);
	for (i = 0; i < 3; i++)
		fd[i] = open("/dev/null", O_RDONLY | O_CLOEXEC);
	code = errno;
	scarcity_end(&s);
	assert_true(fd[0] >= 0 && fd[1] >= 0);
	assert_int_equal(fd[2], -1);
	assert_int_equal(code, EMFILE);
	fd[2] = open("/dev/null", O_RDONLY | O_CLOEXEC);
	assert_true(fd[2] >= 0);
	for (i = 0; i < 3; i++)
		close(fd[i]);
}

/* Without these parameters every allocation succeeds. */
TEST(test_scarcity__none)
{
	auto_value struct value *args = value_map();
	struct scarcity s;
	void *p;
	int fd;

	scarcity_begin(&s, args);
	p = malloc(10 << 20);
	fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	scarcity_end(&s);
	assert_non_null(p);
	assert_true(fd >= 0);
	close(fd);
	free(p);
}
