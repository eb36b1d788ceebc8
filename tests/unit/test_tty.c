/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: session/tty.c */
#include "cmocka_all.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "base/value.h"
#include "program/spawn.h"
#include "session/tty.h"

/* Standard input is a terminal; the test has its other side. */
struct user {
	struct tty tty;
	int other, saved;
};

static int begin(void **state)
{
	static struct user u;
	int theirs;

	u = (struct user){.tty = TTY_NONE, .saved = dup(STDIN_FILENO)};
	assert_int_equal(spawn_terminal(&u.other, &theirs, NULL), 0);
	dup2(theirs, STDIN_FILENO);
	close(theirs);
	*state = &u;
	return 0;
}

static int end(void **state)
{
	struct user *u = *state;

	tty_restore(&u->tty);
	dup2(u->saved, STDIN_FILENO);
	close(u->saved);
	close(u->other);
	return 0;
}

UNIT(.each = {begin, end});

static bool is_raw(void)
{
	struct termios t;

	assert_int_equal(tcgetattr(STDIN_FILENO, &t), 0);
	return !(t.c_lflag & (ECHO | ICANON | ISIG)) && !(t.c_oflag & OPOST);
}

TEST(test_tty__raw_and_back)
{
	struct user *u = *state;
	struct termios before = {0}, after = {0};

	assert_int_equal(tcgetattr(STDIN_FILENO, &before), 0);
	assert_false(is_raw());
	tty_make_raw(&u->tty);
	assert_true(u->tty.raw);
	assert_true(is_raw());
	tty_restore(&u->tty);
	assert_false(u->tty.raw);
	assert_int_equal(tcgetattr(STDIN_FILENO, &after), 0);
	assert_int_equal(before.c_iflag, after.c_iflag);
	assert_int_equal(before.c_oflag, after.c_oflag);
	assert_int_equal(before.c_cflag, after.c_cflag);
	assert_int_equal(before.c_lflag, after.c_lflag);
}

/* A setting that another process has made later stays. */
TEST(test_tty__restored_once)
{
	struct user *u = *state;
	struct termios t;

	tty_make_raw(&u->tty);
	tty_restore(&u->tty);
	assert_int_equal(tcgetattr(STDIN_FILENO, &t), 0);
	cfmakeraw(&t);
	assert_int_equal(tcsetattr(STDIN_FILENO, TCSANOW, &t), 0);
	tty_restore(&u->tty);
	assert_true(is_raw());
}

static void set_size(const struct user *u, unsigned short rows, unsigned short cols)
{
	const struct winsize ws = {.ws_row = rows, .ws_col = cols};

	assert_int_equal(ioctl(u->other, TIOCSWINSZ, &ws), 0);
}

TEST(test_tty__size__where_it_has_one)
{
	auto_value struct value *none = value_map(), *some = value_map();
	struct user *u = *state;

	tty_add_size(none);
	assert_int_equal(none->map.count, 0);
	set_size(u, 24, 132);
	tty_add_size(some);
	assert_int_equal(value_get_int(some, "rows", 0), 24);
	assert_int_equal(value_get_int(some, "cols", 0), 132);
}

static bool is_news(const struct user *u)
{
	struct pollfd p = {.fd = u->tty.winch_fd, .events = POLLIN};

	return poll(&p, 1, 0) == 1;
}

/* Several signals of the same kind are reported once. */
TEST(test_tty__change_of_size__is_news_once)
{
	struct user *u = *state;

	tty_watch(&u->tty);
	assert_true(u->tty.winch_fd >= 0);
	assert_false(is_news(u));
	raise(SIGWINCH);
	raise(SIGWINCH);
	assert_true(is_news(u));
	tty_take_winch(&u->tty);
	assert_false(is_news(u));
	raise(SIGWINCH);
	assert_true(is_news(u));
	tty_take_winch(&u->tty);
	tty_restore(&u->tty);
	assert_int_equal(u->tty.winch_fd, -1);
}

TEST(test_tty__no_terminal__changes_nothing)
{
	auto_value struct value *size = value_map();
	struct user *u = *state;
	int null = open("/dev/null", O_RDONLY | O_CLOEXEC);

	dup2(null, STDIN_FILENO);
	close(null);
	tty_make_raw(&u->tty);
	assert_false(u->tty.raw);
	tty_add_size(size);
	assert_int_equal(size->map.count, 0);
	tty_restore(&u->tty);
}
