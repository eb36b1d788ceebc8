/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: base/file.c */
#include "cmocka_all.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/xalloc.h"

#define LONG (3 << 20)

static int memory(const char *text, size_t len)
{
	int fd = memfd_create("test", MFD_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(file_write(fd, text, len), 0);
	return fd;
}

TEST(test_file__descriptor__whole_or_what_is_left)
{
	auto_close int fd = memory("one\ntwo", 7);
	auto_free char *rest = NULL, *whole = NULL, *none = NULL;
	size_t len = 99;

	assert_int_equal(lseek(fd, 4, SEEK_SET), 4);
	assert_int_equal(file_fd_read_whole(fd, SIZE_MAX, &whole, NULL), 0);
	assert_string_equal(whole, "one\ntwo");
	assert_int_equal(lseek(fd, 0, SEEK_CUR), 4);
	assert_int_equal(file_fd_read_rest(fd, SIZE_MAX, &rest, &len), 0);
	assert_string_equal(rest, "two");
	assert_int_equal(len, 3);
	assert_int_equal(file_fd_read_rest(fd, SIZE_MAX, &none, &len), 0);
	assert_string_equal(none, "");
	assert_int_equal(len, 0);
}

TEST(test_file__bound__is_the_last_length_that_passes)
{
	auto_close int fd = memory("123456", 6), zero = open("/dev/zero", O_RDONLY | O_CLOEXEC);
	char *text = NULL;

	assert_int_equal(file_fd_read_whole(fd, 6, &text, NULL), 0);
	free(text);
	assert_int_equal(file_fd_read_whole(fd, 5, &text, NULL), -EFBIG);
	assert_int_equal(file_fd_read_whole(fd, 0, &text, NULL), -EFBIG);
	/* A file without size and end. */
	assert_int_equal(file_fd_read_rest(zero, 1 << 20, &text, NULL), -EFBIG);
	assert_int_equal(file_fd_read_whole(-1, 6, &text, NULL), -EBADF);
}

TEST(test_file__long_one_through_a_pipe__comes_out_whole)
{
	auto_free char *in = xcalloc(1, LONG), *out = NULL;
	size_t len = 0;
	int p[2], status;
	pid_t pid;

	memset(in, 'x', LONG);
	in[LONG / 2] = '\0';
	assert_int_equal(pipe2(p, O_CLOEXEC), 0);
	pid = fork();
	if (pid == 0)
		_exit(file_write(p[1], in, LONG) != 0);
	close(p[1]);
	assert_int_equal(file_fd_read_rest(p[0], SIZE_MAX, &out, &len), 0);
	assert_int_equal(len, LONG);
	assert_memory_equal(in, out, LONG);
	assert_int_equal(out[LONG], 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	close(p[0]);
}

TEST(test_file__of_the_kernel__has_no_size_and_is_read)
{
	auto_free char *text = NULL;
	struct vbm_error err = {0};
	char *none;

	assert_int_equal(file_read("/proc/self/status", &text, NULL, NULL), 0);
	assert_non_null(strstr(text, "Name:"));
	assert_int_equal(file_read("/nonesuch/file", &none, NULL, &err), -ENOENT);
	assert_string_equal(err.msg, "cannot read /nonesuch/file: No such file or directory");
}

TEST(test_file__of_somebody_else__is_a_regular_one_with_a_bound)
{
	auto_free char *text = NULL;
	struct vbm_error err = {0};
	char *none;

	assert_int_equal(file_read_max(test_data("README"), 1 << 20, &text, NULL, NULL), 0);
	assert_int_equal(file_read_max(test_data("README"), 3, &none, NULL, &err), -EFBIG);
	assert_non_null(strstr(err.msg, "README: larger than 3 bytes"));
	assert_int_equal(file_read_max("/dev/zero", 1 << 20, &none, NULL, &err), -EINVAL);
	assert_string_equal(err.msg, "/dev/zero: not a regular file");
	assert_int_equal(file_read("/", &none, NULL, &err), -EISDIR);
	assert_string_equal(err.msg, "cannot read /: Is a directory");
}

TEST(test_file__copy__goes_on_to_its_bound)
{
	auto_close int in = memory("0123456789", 10), out = memory("", 0);
	auto_free char *text = NULL;

	assert_int_equal(lseek(in, 4, SEEK_SET), 4);
	assert_int_equal(file_fd_copy(in, 6, out), 0);
	assert_int_equal(file_fd_read_whole(out, 100, &text, NULL), 0);
	assert_string_equal(text, "456789");
	assert_int_equal(lseek(in, 0, SEEK_SET), 0);
	assert_int_equal(file_fd_copy(in, 9, out), -EFBIG);
	assert_int_equal(file_fd_copy(-1, 9, out), -EBADF);
}
