/* SPDX-License-Identifier: BSD-2-Clause */
#include "dns/unbound-control.h"

#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/xalloc.h"
#include "net/netns.h"
#include "lib/base/fail.h"

#define ANSWER_MS 10000
#define ANSWER_MAX 512
#define DONE "ok"

static int dial(int netns, uint16_t port, struct vbm_error *err)
{
	struct sockaddr_in to = {
		.sin_family = AF_INET,
		.sin_port = htons(port),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	auto_close int fd = -1;

	if (netns_socket(netns, AF_INET, SOCK_STREAM, &fd, err) < 0)
		return -err->code;
	if (connect(fd, (struct sockaddr *)&to, sizeof(to)) < 0)
		return vbm_fail(err, errno, "cannot connect to unbound's control port: %s", strerror(errno));
	return steal_fd(&fd);
}

/* Read the whole answer. unbound ends it by closing the connection. */
static int listen_to(int fd, char answer[ANSWER_MAX], struct vbm_error *err)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};
	int64_t deadline = clock_deadline_ms(ANSWER_MS);
	size_t used = 0;
	ssize_t n;
	int ready;

	while (used < ANSWER_MAX - 1) {
		ready = poll(&p, 1, clock_left_ms(deadline));
		if (ready < 0 && errno == EINTR)
			continue;
		if (ready <= 0)
			return vbm_fail(err, ETIMEDOUT, "unbound did not answer a command");
		n = recv(fd, answer + used, ANSWER_MAX - 1 - used, 0);
		if (n < 0)
			return vbm_fail(err, errno, "unbound did not answer a command: %s",
					strerror(errno));
		if (!n)
			break;
		used += (size_t)n;
	}
	answer[used] = '\0';
	return 0;
}

int unbound_control(int netns, uint16_t port, const char *command, struct vbm_error *err)
{
	auto_free char *line = xasprintf("UBCT1 %s\n", command);
	auto_close int fd = dial(netns, port, err);
	char answer[ANSWER_MAX];
	size_t len = strlen(line);

	if (fd < 0)
		return -err->code;
	if (send(fd, line, len, MSG_NOSIGNAL) != (ssize_t)len)
		return vbm_fail(err, EIO, "cannot send a command to unbound");
	if (listen_to(fd, answer, err) < 0)
		return -err->code;
	if (strncmp(answer, DONE, strlen(DONE)))
		return vbm_fail(err, EIO, "unbound refused '%s': %.200s", command, answer);
	return 0;
}
