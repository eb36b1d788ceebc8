/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: session/meeting.c process/peer.c */
#include "cmocka_all.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/value.h"
#include "base/xalloc.h"
#include "process/peer.h"
#include "session/meeting.h"

#define HEAD "Num       RefCount Protocol Flags    Type St Inode Path\n"
#define LISTENS "0000000000000000: 00000002 00000000 00010000 0001 01 4242 "
#define TALKS "0000000000000000: 00000003 00000000 00000000 0001 03 4243 "

TEST(test_meeting__choose__says_what_there_is)
{
	static const char two[] = HEAD LISTENS "@verbatim-run-1000-71\n"
				  LISTENS "@verbatim-run-1001-72\n"
				  TALKS "@verbatim-run-1000-71\n"
				  LISTENS "/run/verbatim-run-1000-99\n"
				  LISTENS "@verbatim-run-nonsense\n"
				  LISTENS "@verbatim-rsh-1000-98\n";
	static const struct {
		const char *table;
		uid_t uid;
		pid_t number, run;
		int code;
		const char *text;
	} cases[] = {
		{two, 1000, 0, 71, 0, ""},
		{two, 1000, 71, 71, 0, ""},
		{two, 1001, 0, 72, 0, ""},
		{two, 0, 72, 72, 0, ""},
		{two, 0, 0, 0, EINVAL, "say which run to join; there are: 71, 72"},
		{two, 1000, 72, 0, EPERM, "run 72 belongs to another user (uid 1001)"},
		{two, 1000, 99, 0, ENOENT, "there is no run 99 to join; there is: 71"},
		{two, 7, 0, 0, ENOENT, "there is no run to join; 'verbatim exec' and 'verbatim shell' make one"},
		{HEAD, 1000, 71, 0, ENOENT, "there is no run to join; 'verbatim exec' and 'verbatim shell' make one"},
		{HEAD TALKS "@verbatim-run-1000-71\n", 1000, 0, 0, ENOENT,
		 "there is no run to join; 'verbatim exec' and 'verbatim shell' make one"},
		{"", 1000, 0, 0, ENOENT, "there is no run to join; 'verbatim exec' and 'verbatim shell' make one"},
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct vbm_error err = {0};
		struct meeting_run run = {0};
		int ret = meeting_choose(cases[i].table, cases[i].uid, cases[i].number, NULL,
					 &run, &err);

		assert_int_equal(ret, -cases[i].code);
		assert_string_equal(err.msg, cases[i].text);
		if (ret == 0)
			assert_int_equal(run.pid, cases[i].run);
	}
}

static bool is_not_71(const struct meeting_run *run)
{
	return run->pid != 71;
}

TEST(test_meeting__choose__passes_over_what_only_has_the_name)
{
	static const char two[] = HEAD LISTENS "@verbatim-run-1000-71\n"
				  LISTENS "@verbatim-run-1000-72\n";
	struct vbm_error err = {0};
	struct meeting_run run;

	assert_int_equal(meeting_choose(two, 1000, 0, is_not_71, &run, &err), 0);
	assert_int_equal(run.pid, 72);
	assert_int_equal(meeting_choose(two, 1000, 71, is_not_71, &run, &err), -ENOENT);
	assert_string_equal(err.msg, "there is no run 71 to join; there is: 72");
}

static void open_peers(struct peer *a, struct peer *b)
{
	int pair[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair), 0);
	*a = (struct peer){.fd = pair[0]};
	*b = (struct peer){.fd = pair[1]};
}

TEST(test_meeting__peer__keeps_what_is_not_taken)
{
	auto_value struct value *v = value_map();
	struct peer a, b;
	struct value *got;
	int said = 0, heard = 0;

	open_peers(&a, &b);
	for (; peer_pending(&a) < 200000; said++) {
		value_set_int(v, "n", said);
		value_set_string(v, "text", "0123456789012345678901234567890123456789");
		peer_say(&a, v);
	}
	assert_true(peer_wants(&a).events & POLLOUT);
	while (heard < said) {
		peer_act(&a, POLLOUT);
		peer_act(&b, POLLIN);
		while ((got = peer_next(&b))) {
			assert_int_equal(value_get_int(got, "n", -1), heard++);
			value_free(got);
		}
		assert_false(b.gone);
	}
	assert_false(peer_wants(&a).events & POLLOUT);
	peer_fini(&a);
	peer_act(&b, POLLIN);
	assert_true(b.gone);
	peer_say(&b, v);
	assert_int_equal(peer_pending(&b), 0);
	peer_fini(&b);
}

TEST(test_meeting__peer__that_talks_nonsense__is_gone)
{
	struct peer a, b;

	open_peers(&a, &b);
	assert_int_equal(write(a.fd, "{\"n\": 1}\n{garbled\n", 18), 18);
	peer_act(&b, POLLIN);
	value_free(peer_next(&b));
	assert_false(b.gone);
	assert_null(peer_next(&b));
	assert_true(b.gone);
	peer_fini(&a);
	peer_fini(&b);
}
