/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: lib/endpoint/callers.c lib/handshake/door.c */
/*
 * The n-th allocation or descriptor of a listener's callers fails, for each n: a caller is
 * served a little later, and nothing is left.
 */
#include "cmocka_all.h"

#include <errno.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "../help/descriptors.h"
#include "../help/shortage.h"
#include "lib/base/loop.h"
#include "lib/endpoint/callers.h"
#include "lib/handshake/drive.h"

#define PATIENCE_MS 60000

/* The caller says who it is in one byte. */
static int ask(void *context, struct vbm_handshake_auth *auth)
{
	char byte;

	(void)context;
	if (auth->is_over)
		return 0;
	return recv(auth->socket, &byte, 1, MSG_DONTWAIT) == 1 ? 0 : errno;
}

static int dial(int listener, bool is_asked)
{
	struct handshake_message m = {
		.version = 1, .flag = HANDSHAKE_SYNC,
		.client = {.address = {.qp_num = 17, .gid.raw = {0xfe, 0x80, [15] = 1}}, .psn = 1, .mtu = IBV_MTU_1024},
	};
	uint8_t bytes[1 + HANDSHAKE_BYTES_MAX] = "x";
	size_t length = vbm_handshake_encode(bytes + 1, &m);
	struct sockaddr_in at;
	socklen_t len = sizeof(at);
	int s = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	assert_int_equal(getsockname(listener, (struct sockaddr *)&at, &len), 0);
	assert_int_equal(connect(s, (struct sockaddr *)&at, len), 0);
	assert_int_equal(send(s, is_asked ? bytes : bytes + 1, length + is_asked, 0), length + is_asked);
	return s;
}

/* Returns whether something failed. */
static bool live(int listener, int n_th, bool is_asked)
{
	int client = dial(listener, is_asked), s = -1, rc, tries = 0;
	struct callers callers = {.arrived = -1};
	bool came;

	shortage_begin(SHORTAGE_OF_PROCESS, n_th);
	rc = vbm_callers_init(&callers, listener, 4);
	callers.door.authenticate = is_asked ? ask : NULL;
	/* A call may say that there is a shortage; the next one goes on. */
	while (rc == 0 && s < 0 && tries++ < 3) {
		int next = vbm_callers_next(&callers, vbm_loop_end_after(PATIENCE_MS), -1, &s);

		assert_true(next == 0 || is_shortage(next));
	}
	came = shortage_end();
	assert_true(came || rc == 0);
	assert_true(rc || s >= 0);
	vbm_callers_clear(&callers);
	if (s >= 0)
		close(s);
	close(client);
	return came;
}

static void sweep(bool is_asked, int least)
{
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	int before = open_descriptors(), listener, n = 0;
	const char *call;
	long blocks;
	bool came = true;

	while (came) {
		assert_int_equal(vbm_handshake_listener(&listener, (struct sockaddr *)&at, sizeof(at), 16, &call), 0);
		blocks = shortage_process_blocks();
		came = live(listener, n++, is_asked);
		close(listener);
		assert_int_equal(shortage_process_blocks(), blocks);
		assert_int_equal(open_descriptors(), before);
	}
	assert_true(n > least);
}

TEST(test_shortage)
{
	if (!SHORTAGE_WORKS)
		skip();
	sweep(false, 5);	/* the list, epoll_create1(), epoll_ctl() twice, accept4() */
	sweep(true, 6);		/* and what the program keeps */
}
