/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: wire/capture.c wire/tap.c */
#include "cmocka_all.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/filter.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "lib/base/fail.h"
#include "fabric/fabric.h"
#include "net/netns.h"
#include "codec/packet.h"
#include "wire/capture.h"
#include "wire/tap.h"
#include "../help/bare-fabric.h"
#include "../help/descriptors.h"
#include "../help/folder.h"

static struct fabric *fabric;
static struct folder home;
static char *path;	/* owned */

static int begin(void **state)
{
	(void)state;
	fabric = bare_fabric(LAYOUT_NETNS, 2);
	folder_make(&home);
	path = folder_path(&home, "x.pcapng");
	return 0;
}

static int end(void **state)
{
	(void)state;
	fabric_free(fabric);
	folder_remove(&home);
	free(steal(&path));
	return 0;
}

UNIT(.obstacle = bare_fabrics_obstacle, .all = {bare_fabrics_begin, bare_fabrics_end},
     .each = {begin, end});

/* Sends @text from host a to host b, as a datagram to a port, and waits until it is there. */
static void send_text(const char *text, uint16_t port)
{
	struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(port)};
	auto_close int from = -1, at = -1;
	struct pollfd p = {.events = POLLIN};
	char got[64];

	assert_int_equal(inet_pton(AF_INET, fabric_host(fabric, 1)->ip4, &to.sin_addr), 1);
	assert_int_equal(netns_socket(fabric_netns_fd(fabric, 1), AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, &at, NULL), 0);
	assert_int_equal(netns_socket(fabric_netns_fd(fabric, 0), AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, &from, NULL), 0);
	assert_int_equal(bind(at, (struct sockaddr *)&to, sizeof(to)), 0);
	assert_int_equal(sendto(from, text, strlen(text), 0, (struct sockaddr *)&to, sizeof(to)), strlen(text));
	p.fd = at;
	assert_int_equal(poll(&p, 1, 20000), 1);
	assert_int_equal(recv(at, got, sizeof(got), 0), strlen(text));
}

/* The number of times that the file has the bytes of @text. */
static int times_in_file(const char *text)
{
	auto_free char *data = NULL;
	size_t len, i, n = strlen(text);
	int times = 0;

	assert_int_equal(file_read(path, &data, &len, NULL), 0);
	for (i = 0; i + n <= len; i++)
		times += !memcmp(data + i, text, n);
	return times;
}

/* The file has whole blocks: each says how long it is, twice. */
static int blocks_of_file(void)
{
	auto_free char *data = NULL;
	uint32_t size, again;
	size_t len, at;
	int blocks = 0;

	assert_int_equal(file_read(path, &data, &len, NULL), 0);
	for (at = 0; at < len; at += size, blocks++) {
		memcpy(&size, data + at + 4, 4);
		assert_true(size >= 12 && at + size <= len);
		memcpy(&again, data + at + size - 4, 4);
		assert_int_equal(size, again);
	}
	return blocks;
}

static void start(struct capture *c)
{
	struct vbm_error err = {0};

	*c = (struct capture)CAPTURE_NONE;
	if (capture_start(c, fabric, path, &err) < 0)
		fail_msg("%s", err.msg);
}

/* A packet that crosses the cable is there twice, as sent and as received. */
TEST(test_capture__packet__is_there_twice)
{
	struct tap_counts counts[2] = {0};
	int before = open_descriptors();
	struct capture c;

	start(&c);
	send_text("across-the-cable", PACKET_UDP_PORT);
	assert_int_equal(capture_stop(&c, counts, NULL), 0);
	capture_end(&c);
	assert_int_equal(times_in_file("across-the-cable"), 2);
	assert_true(counts[0].seen >= 1 && counts[1].seen >= 1);
	assert_int_equal(counts[0].lost + counts[1].lost, 0);
	/* A head, two interfaces, and the packets. */
	assert_true(blocks_of_file() >= 5);
	assert_int_equal(open_descriptors(), before);
}

TEST(test_capture__nothing_sent__has_its_interfaces)
{
	struct tap_counts counts[2] = {0};
	struct capture c;

	start(&c);
	assert_int_equal(capture_stop(&c, counts, NULL), 0);
	capture_end(&c);
	assert_true(blocks_of_file() >= 3);
	assert_int_equal(times_in_file("across-the-cable"), 0);
}

/* The starter dies at once; the file still has the packets that were on the wire. */
TEST(test_capture__starter_killed__the_file_is_whole)
{
	auto_close int watch = inotify_init1(IN_CLOEXEC);
	char event[4096];
	int ready[2];
	pid_t pid;
	char byte;

	assert_int_equal(pipe(ready), 0);
	pid = fork();
	if (pid == 0) {
		struct capture c = CAPTURE_NONE;

		if (capture_start(&c, fabric, path, NULL) < 0 || write(ready[1], "x", 1) != 1)
			_exit(1);
		for (;;)
			pause();
	}
	close(ready[1]);
	assert_int_equal(read(ready[0], &byte, 1), 1);
	close(ready[0]);
	assert_true(inotify_add_watch(watch, path, IN_CLOSE_WRITE) >= 0);
	send_text("last-words", PACKET_UDP_PORT);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	/* The process of the capture closes the file at its end. */
	while (times_in_file("last-words") < 2)
		assert_true(read(watch, event, sizeof(event)) > 0);
	assert_true(blocks_of_file() >= 5);
}

TEST(test_capture__file__has_to_be_new)
{
	struct capture c = CAPTURE_NONE;
	struct vbm_error err = {0};
	auto_free char *text = NULL;

	folder_put(&home, "x.pcapng", "precious");
	assert_true(capture_start(&c, fabric, path, &err) < 0);
	assert_non_null(strstr(err.msg, path));
	capture_end(&c);
	text = folder_text(&home, "x.pcapng");
	assert_string_equal(text, "precious");
}

TEST(test_capture__never_started__ends)
{
	struct capture c = CAPTURE_NONE;

	capture_end(&c);
	assert_int_equal(c.line, -1);
}

/* Only received packets, and only those that pass the filter. */
TEST(test_tap__filter__and_direction)
{
	/* UDP over IPv4 without options, to the port. */
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_H | BPF_ABS, 22),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, PACKET_UDP_PORT, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, 0xffff),
		BPF_STMT(BPF_RET | BPF_K, 0),
	};
	const struct sock_fprog filter = {.len = 4, .filter = code};
	const struct tap_options in = {.filter = &filter, .incoming = true, .room = 65536};
	struct tap_counts a = {0}, b = {0};
	auto_close int fd_a = -1, fd_b = -1;

	assert_int_equal(tap_open(&fd_a, fabric, 0, &in, NULL), 0);
	assert_int_equal(tap_open(&fd_b, fabric, 1, &in, NULL), 0);
	send_text("one", PACKET_UDP_PORT);
	send_text("other", 4790);
	tap_count(fd_a, &a);
	tap_count(fd_b, &b);
	assert_int_equal(a.seen, 0);
	assert_int_equal(b.seen, 1);
	/* Packets since the last call, added to the counters. */
	send_text("two", PACKET_UDP_PORT);
	tap_count(fd_b, &b);
	assert_int_equal(b.seen, 2);
	assert_int_equal(b.lost, 0);
}
