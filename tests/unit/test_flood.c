/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: lane/flood.c */
#include "cmocka_all.h"

#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "lane/flood.h"
#include "../help/descriptors.h"
#include "../help/folder.h"

static int open_console(const struct folder *s)
{
	auto_free char *path = folder_path(s, "console");
	int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_APPEND, 0600);

	assert_true(fd >= 0);
	return fd;
}

static bool is_news(const struct flood *f)
{
	struct pollfd p = {.fd = f->watch_fd, .events = POLLIN};

	return poll(&p, 1, 0) == 1;
}

TEST(test_flood__each_write__is_news_once)
{
	struct folder s;
	struct flood f;
	int fd;

	folder_make(&s);
	fd = open_console(&s);
	flood_begin(&f, fd);
	assert_false(is_news(&f));
	assert_int_equal(write(fd, "x", 1), 1);
	assert_true(is_news(&f));
	assert_false(flood_look(&f));
	assert_false(is_news(&f));
	flood_end(&f);
	close(fd);
	folder_remove(&s);
}

/* Bytes that were on the console before count as well. */
TEST(test_flood__limit__is_passed_by_one_byte)
{
	const off_t limit = (off_t)FLOOD_MB << 20;
	struct folder s;
	struct flood f;
	int fd;

	folder_make(&s);
	fd = open_console(&s);
	assert_int_equal(ftruncate(fd, limit - 1), 0);
	flood_begin(&f, fd);
	assert_int_equal(write(fd, "x", 1), 1);
	assert_false(flood_look(&f));
	assert_int_equal(write(fd, "x", 1), 1);
	assert_true(flood_look(&f));
	flood_end(&f);
	close(fd);
	folder_remove(&s);
}

TEST(test_flood__end__leaves_the_console_and_no_watch)
{
	int before = open_descriptors();
	struct flood f = FLOOD_NONE;
	struct folder s;
	int fd;

	flood_end(&f);
	folder_make(&s);
	fd = open_console(&s);
	flood_begin(&f, fd);
	assert_int_equal(open_descriptors(), before + 2);
	flood_end(&f);
	flood_end(&f);
	assert_int_equal(f.watch_fd, -1);
	assert_int_equal(write(fd, "x", 1), 1);
	close(fd);
	assert_int_equal(open_descriptors(), before);
	folder_remove(&s);
}

TEST(test_flood__no_console__watches_nothing)
{
	int before = open_descriptors();
	struct flood f;

	flood_begin(&f, -1);
	assert_int_equal(f.watch_fd, -1);
	assert_int_equal(open_descriptors(), before);
}
