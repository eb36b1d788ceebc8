/* SPDX-License-Identifier: BSD-2-Clause */
#include "guest/guest.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/netlink.h>
#include <net/if.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/xalloc.h"
#include "fail.h"

#define PORTS "/sys/class/virtio-ports"
#define PORT_WAIT_MS 5000

struct mount_line {
	const char *type, *where, *options;
	unsigned long flags;
};

static const struct mount_line basics[] = {
	{"proc", "/proc", NULL, MS_NOSUID | MS_NODEV | MS_NOEXEC},
	{"sysfs", "/sys", NULL, MS_NOSUID | MS_NODEV | MS_NOEXEC},
	{"devtmpfs", "/dev", "mode=0755", MS_NOSUID},
	{"tmpfs", "/run", "mode=0755", MS_NOSUID | MS_NODEV},
	{"devpts", "/dev/pts", "mode=0620,ptmxmode=0666", MS_NOSUID | MS_NOEXEC},
	{"tmpfs", "/dev/shm", "mode=1777", MS_NOSUID | MS_NODEV},
};

int init_mount_basics(struct vbm_error *err)
{
	const struct mount_line *m;

	for (m = basics; m < basics + ARRAY_SIZE(basics); m++) {
		mkdir(m->where, 0755);
		if (mount(m->type, m->where, m->type, m->flags, m->options) < 0 &&
		    errno != EBUSY)
			return vbm_fail(err, errno, "cannot mount %s: %m", m->where);
	}
	if (symlink("/proc/self/fd", "/dev/fd") < 0 && errno != EEXIST)
		return vbm_fail(err, errno, "cannot make /dev/fd: %m");
	/* No mount: the image may have brought a target there. */
	if (chmod("/tmp", 01777) < 0)
		return vbm_fail(err, errno, "cannot open /tmp to everybody: %m");
	return 0;
}

static int load_list(const char *list_path, struct vbm_error *err)
{
	auto_free char *list = NULL;
	char *pos, *path;
	int ret;

	ret = file_read(list_path, &list, NULL, err);
	if (ret < 0)
		return ret;
	for (pos = list; (path = next_line(&pos));) {
		auto_close int fd = open(path, O_RDONLY | O_CLOEXEC);

		if (fd < 0)
			return vbm_fail(err, errno, "cannot open %s: %m", path);
		if (syscall(SYS_finit_module, fd, "", 0) < 0 && errno != EEXIST)
			return vbm_fail(err, errno, "cannot load %s: %m", path);
	}
	return 0;
}

int init_load_modules(struct vbm_error *err)
{
	struct vbm_error other = {0};
	int ret, status = 0;
	pid_t pid;

	pid = fork();
	if (pid == 0) {
		ret = load_list(GUEST_MODULE_LIST2, &other);
		if (ret < 0)
			printf(GUEST_SAYS_FAILED "%s\n", other.msg);
		fflush(NULL);
		_exit(ret < 0);
	}
	ret = load_list(GUEST_MODULE_LIST, err);
	if (pid < 0 || (waitpid(pid, &status, 0) == pid && status != 0))
		return vbm_fail(err, EIO, "cannot load the modules of " GUEST_MODULE_LIST2);
	return ret;
}

int init_loopback_up(struct vbm_error *err)
{
	auto_close int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	struct ifreq ifr = {.ifr_name = "lo"};

	ifr.ifr_flags = IFF_UP | IFF_RUNNING;
	if (fd < 0 || ioctl(fd, SIOCSIFFLAGS, &ifr) < 0)
		return vbm_fail(err, errno, "cannot bring up lo: %m");
	return 0;
}

static bool scan_ports(const char *name, char *dev, unsigned int size)
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
int init_find_port(const char *name, char *dev, unsigned int size, struct vbm_error *err)
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

static int bind_below(const char *what, struct vbm_error *err)
{
	auto_free char *where = xasprintf(INIT_HOST_ROOT "%s", what);

	if (mount(what, where, NULL, MS_BIND | MS_REC, NULL) < 0)
		return vbm_fail(err, errno, "cannot mount %s: %m", where);
	return 0;
}

static int mount_share(const char *share, struct vbm_error *err)
{
	auto_free char *where = xasprintf(INIT_HOST_ROOT "%s", share);

	if (mount("share", where, "9p", 0, "trans=virtio,version=9p2000.L,msize=262144") < 0)
		return vbm_fail(err, errno, "cannot mount the shared folder %s: %m", share);
	return 0;
}

int init_mount_host(const char *share, struct vbm_error *err)
{
	static const char *const ours[] = {"/proc", "/sys", "/dev", "/run"};
	static const char *const folders[] = {"/below", "/layer", INIT_HOST_ROOT};
	size_t i;
	int ret = 0;

	for (i = 0; i < ARRAY_SIZE(folders); i++)
		mkdir(folders[i], 0755);
	if (mount("root", "/below", "9p", MS_RDONLY,
		  "trans=virtio,version=9p2000.L,msize=262144,cache=loose") < 0)
		return vbm_fail(err, errno, "cannot mount the host's file system: %m");
	if (mount("tmpfs", "/layer", "tmpfs", 0, "mode=0755") < 0 ||
	    mkdir("/layer/upper", 0755) < 0 || mkdir("/layer/work", 0755) < 0 ||
	    mount("overlay", INIT_HOST_ROOT, "overlay", 0,
		  "lowerdir=/below,upperdir=/layer/upper,workdir=/layer/work") < 0)
		return vbm_fail(err, errno, "cannot put a layer over the host's files: %m");
	for (i = 0; ret == 0 && i < ARRAY_SIZE(ours); i++)
		ret = bind_below(ours[i], err);
	return ret == 0 && share ? mount_share(share, err) : ret;
}
