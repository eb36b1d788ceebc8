/* SPDX-License-Identifier: BSD-2-Clause */
#include "init/init.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/netlink.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <termios.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/deflate.h"
#include "base/file.h"
#include "base/xalloc.h"
#include "guest/guest.h"
#include "lib/base/fail.h"
#include "process/child.h"

#define PORTS "/sys/class/virtio-ports"
#define PORT_WAIT_MS 5000

static bool scan_ports(const char *name, char *dev, size_t size)
{
	auto_dir DIR *dir = opendir(PORTS);
	const struct dirent *d;

	while (dir && (d = readdir(dir))) {
		auto_free char *path = xasprintf(PORTS "/%s/name", d->d_name), *text = NULL;

		if (d->d_name[0] == '.' || file_read(path, &text, NULL, NULL) < 0)
			continue;
		text[strcspn(text, "\n")] = '\0';
		if (strcmp(text, name) != 0)
			continue;
		snprintf(dev, size, "/dev/%s", d->d_name);
		return true;
	}
	return false;
}

/*
 * QEMU sends the names of its ports after the driver has started; the kernel
 * announces each name by a uevent.
 */
static int find_port(const char *name, char *dev, size_t size, struct vbm_error *err)
{
	const struct sockaddr_nl addr = {.nl_family = AF_NETLINK, .nl_groups = 1};
	auto_close int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK,
				   NETLINK_KOBJECT_UEVENT);
	int64_t deadline = clock_deadline_ms(PORT_WAIT_MS);
	struct pollfd p = {.fd = fd, .events = POLLIN};
	char buf[4096];

	if (fd < 0 || bind(fd, (const void *)&addr, sizeof(addr)) < 0)
		return vbm_fail(err, errno, "cannot listen for devices: %m");
	while (!scan_ports(name, dev, size)) {
		if (poll(&p, 1, clock_left_ms(deadline)) == 0)
			return vbm_fail(err, ENODEV, "no virtio-serial port %s", name);
		while (recv(fd, buf, sizeof(buf), 0) > 0)
			;
	}
	return 0;
}

/*
 * Removes the device, so that a program which writes to all terminals does not write to
 * the runner's line.
 */
static int open_device(const char *path, struct vbm_error *err)
{
	int fd = open(path, O_RDWR | O_NOCTTY | O_CLOEXEC);

	if (fd < 0)
		return vbm_fail(err, errno, "cannot open %s: %m", path);
	unlink(path);
	return fd;
}

/* Opens a terminal without echo and translation. */
static int open_raw(const char *path, struct vbm_error *err)
{
	int fd = open_device(path, err);
	struct termios t;

	if (fd < 0)
		return fd;
	if (tcgetattr(fd, &t) == 0) {
		cfmakeraw(&t);
		tcsetattr(fd, TCSANOW, &t);
	}
	return fd;
}

/* One direction of a line, in a separate process. */
struct carrier {
	int from, to;
	int taken;		/* gets a byte for each step that came from @from; or -1 */
	bool inflates;		/* bytes from @from are compressed */
};

static int pass_on(const struct carrier *c, struct inflater *f, const char *buf, size_t n)
{
	char plain[16384];
	int len;

	if (!f)
		return file_write(c->to, buf, n);
	inflater_feed(f, buf, n);
	while ((len = inflater_take(f, plain, sizeof(plain))) > 0)
		if (file_write(c->to, plain, (size_t)len) < 0)
			return -EPIPE;
	return len;
}

static void __attribute__((noreturn)) carry(const struct carrier *c)
{
	struct inflater *f = c->inflates ? inflater_new() : NULL;
	size_t untold = 0;
	char buf[4096];
	ssize_t n;

	while ((n = read(c->from, buf, sizeof(buf))) > 0 && pass_on(c, f, buf, (size_t)n) == 0) {
		untold += (size_t)n;
		for (; c->taken >= 0 && untold >= GUEST_WINDOW_STEP; untold -= GUEST_WINDOW_STEP)
			if (write(c->taken, "", 1) != 1)
				_exit(1);
	}
	_exit(0);
}

static int start_carrier(const struct carrier *c, struct vbm_error *err)
{
	const int keep[] = {c->from, c->to, c->taken};
	pid_t parent = getpid(), pid = fork();

	if (pid == 0) {
		child_begin(&(struct child_setup){
			.parent = parent,
			.name = "verbatim-line",
			.keep = keep,
			.keep_count = ARRAY_SIZE(keep),
		});
		carry(c);
	}
	return pid < 0 ? vbm_fail(err, errno, "cannot start a process: %m") : 0;
}

static int open_terminals(const char *names, int *in, int *out, struct vbm_error *err)
{
	auto_free char *name = xstrndup(names, strcspn(names, ","));
	auto_close int line = open_raw(name, err), taken = -1, ours = -1, theirs = -1;
	int pair[2], ret;

	if (line < 0)
		return line;
	taken = open_raw(strchrnul(names, ',') + 1, err);
	if (taken < 0)
		return taken;
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
		return vbm_fail(err, errno, "cannot make a socket pair: %m");
	ours = pair[0];
	theirs = pair[1];
	ret = start_carrier(&(struct carrier){line, theirs, taken, out != NULL}, err);
	if (ret == 0 && !out)
		ret = start_carrier(&(struct carrier){theirs, line, -1, false}, err);
	if (ret < 0)
		return ret;
	*in = steal_fd(&ours);
	if (out)
		*out = steal_fd(&line);
	return 0;
}

int init_open_line(const char *name, int *in, int *out, struct vbm_error *err)
{
	char dev[NAME_MAX + 6];
	int ret;

	if (strchr(name, ','))
		return open_terminals(name, in, out, err);
	ret = find_port(name, dev, sizeof(dev), err);
	if (ret == 0)
		ret = *in = open_device(dev, err);
	if (ret >= 0 && out)
		*out = *in;
	return ret < 0 ? ret : 0;
}
