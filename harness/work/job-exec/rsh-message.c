/* SPDX-License-Identifier: BSD-2-Clause */
#include "job-exec/rsh.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

int rsh_send(int fd, const char *text, const int *fds)
{
	char control[CMSG_SPACE(RSH_FDS * sizeof(int))] = {0};
	struct iovec iov = {.iov_base = (void *)(uintptr_t)text, .iov_len = strlen(text)};
	struct msghdr msg = {.msg_iov = &iov, .msg_iovlen = 1};
	struct cmsghdr *c;

	if (fds) {
		msg.msg_control = control;
		msg.msg_controllen = sizeof(control);
		c = CMSG_FIRSTHDR(&msg);
		c->cmsg_level = SOL_SOCKET;
		c->cmsg_type = SCM_RIGHTS;
		c->cmsg_len = CMSG_LEN(RSH_FDS * sizeof(int));
		memcpy(CMSG_DATA(c), fds, RSH_FDS * sizeof(int));
	}
	return sendmsg(fd, &msg, MSG_NOSIGNAL) < 0 ? -errno : 0;
}

/* Takes three descriptors of a message, and closes any others. */
static void take_fds(struct msghdr *msg, int *fds)
{
	struct cmsghdr *c;
	size_t i, n;
	int fd;

	for (c = CMSG_FIRSTHDR(msg); c; c = CMSG_NXTHDR(msg, c)) {
		if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
			continue;
		n = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
		for (i = 0; i < n; i++) {
			memcpy(&fd, CMSG_DATA(c) + i * sizeof(int), sizeof(fd));
			if (i < RSH_FDS && fds[i] < 0)
				fds[i] = fd;
			else
				close(fd);
		}
	}
}

int rsh_receive(int fd, char *text, int *fds)
{
	char control[CMSG_SPACE(RSH_FDS * sizeof(int))];
	struct iovec iov = {.iov_base = text, .iov_len = RSH_MESSAGE_MAX - 1};
	struct msghdr msg = {
		.msg_iov = &iov, .msg_iovlen = 1,
		.msg_control = control, .msg_controllen = sizeof(control),
	};
	ssize_t n;
	int i;

	for (i = 0; i < RSH_FDS; i++)
		fds[i] = -1;
	do {
		n = recvmsg(fd, &msg, MSG_CMSG_CLOEXEC);
	} while (n < 0 && errno == EINTR);
	if (n < 0)
		return -errno;
	take_fds(&msg, fds);
	text[n] = '\0';
	return msg.msg_flags & MSG_TRUNC ? -EMSGSIZE : (int)n;
}
