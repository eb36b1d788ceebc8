/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: base/digest.c */
#include "cmocka_all.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/digest.h"
#include "base/file.h"
#include "base/xalloc.h"

#define LONG 600001	/* more than two pieces, and not a multiple of a step */

TEST(test_digest__file__is_that_of_its_bytes)
{
	auto_free char *data = xcalloc(1, LONG);
	auto_close int fd = memfd_create("test", MFD_CLOEXEC);
	uint64_t digest;
	off_t size;
	size_t i;

	for (i = 0; i < LONG; i++)
		data[i] = (char)(i * 7 + i / 251);
	assert_int_equal(file_write(fd, data, LONG), 0);
	assert_int_equal(digest_of_fd(fd, &digest, &size), 0);
	assert_int_equal(size, LONG);
	assert_true(digest == digest_of(data, LONG));
	assert_int_equal(digest_of_fd(-1, &digest, &size), -EBADF);
}

/* A device may have no end, and a socket has no offset. */
TEST(test_digest__what_is_no_file__has_none)
{
	static const char *const path[] = {"/dev/zero", "/dev/null", "/"};
	uint64_t digest;
	off_t size;
	size_t i;

	for (i = 0; i < sizeof(path) / sizeof(path[0]); i++) {
		auto_close int fd = open(path[i], O_RDONLY | O_CLOEXEC);

		assert_true(fd >= 0);
		assert_int_equal(digest_of_fd(fd, &digest, &size), -EINVAL);
	}
}

TEST(test_digest__any_change__is_seen)
{
	char data[100] = {0};
	uint64_t digest = digest_of(data, sizeof(data));
	size_t i;

	for (i = 0; i < sizeof(data) * 8; i++) {
		data[i / 8] ^= (char)(1 << i % 8);
		assert_true(digest_of(data, sizeof(data)) != digest);
		data[i / 8] ^= (char)(1 << i % 8);
	}
	for (i = 0; i < sizeof(data); i++)
		assert_true(digest_of(data, i) != digest);
	/* Swap two words, first in one lane, then in two. */
	data[0] = 1;
	digest = digest_of(data, sizeof(data));
	data[0] = 0;
	data[32] = 1;
	assert_true(digest_of(data, sizeof(data)) != digest);
	data[32] = 0;
	data[8] = 1;
	assert_true(digest_of(data, sizeof(data)) != digest);
}
