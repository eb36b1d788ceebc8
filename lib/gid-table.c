/* SPDX-License-Identifier: BSD-2-Clause */
#include "gid-table.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <net/if_arp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>


#define GROUPS 8
#define HOLES_BELIEVED 64

bool vbm_gid_from_text(const char *text, uint8_t gid[16])
{
	for (int i = 0; i < GROUPS; i++) {
		unsigned int word = 0;

		for (int k = 0; k < 4; k++, text++) {
			char c = *text;

			if (c >= '0' && c <= '9')
				word = word << 4 | (unsigned int)(c - '0');
			else if ((c | 0x20) >= 'a' && (c | 0x20) <= 'f')
				word = word << 4 | (unsigned int)((c | 0x20) - 'a' + 10);
			else
				return false;
		}
		gid[2 * i] = (uint8_t)(word >> 8);
		gid[2 * i + 1] = (uint8_t)word;
		if (i < GROUPS - 1 && *text++ != ':')
			return false;
	}
	return true;
}

/* Up to a line of a small file, without its newline; -1 when unreadable. */
static int read_line_at(int dir, const char *path, char *line, size_t room)
{
	int fd = openat(dir, path, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		return -1;
	n = read(fd, line, room - 1);
	if (n <= 0) {
		close(fd);
		return -1;
	}
	line[n] = '\0';
	line[strcspn(line, "\n")] = '\0';
	return fd;
}

static bool same_ip(const struct sockaddr *sa, const union addr *a)
{
	const void *p = sa;

	if (!sa || sa->sa_family != a->sa.sa_family)
		return false;
	if (sa->sa_family == AF_INET)
		return !memcmp(&((const struct sockaddr_in *)p)->sin_addr,
			       &a->in.sin_addr, 4);
	return !memcmp(&((const struct sockaddr_in6 *)p)->sin6_addr,
		       &a->in6.sin6_addr, 16);
}

/*
 * In the RDMA subsystem's shared mode the tables of every network namespace
 * are in sight: the entry's interface must be one of ours, with this address.
 */
static bool interface_holds(const struct ifaddrs *all, const char *name,
			    const union addr *a)
{
	for (const struct ifaddrs *i = all; i; i = i->ifa_next)
		if (!strcmp(i->ifa_name, name) && same_ip(i->ifa_addr, a))
			return true;
	return false;
}

static bool is_ipoib(const char *sys, const char *name)
{
	char path[256], line[32];
	int fd;

	snprintf(path, sizeof(path), "%s/class/net/%s/type", sys, name);
	fd = read_line_at(AT_FDCWD, path, line, sizeof(line));
	if (fd >= 0)
		close(fd);
	return fd >= 0 && strtol(line, NULL, 10) == ARPHRD_INFINIBAND;
}

static bool on_ipoib(const char *sys, const struct ifaddrs *all, const union addr *a)
{
	for (const struct ifaddrs *i = all; i; i = i->ifa_next)
		if (same_ip(i->ifa_addr, a) && is_ipoib(sys, i->ifa_name))
			return true;
	return false;
}

/* The table has holes where addresses came and went; it fills from below. */
static bool scan_port(int port, const struct ifaddrs *all, const union addr *a, int *fd)
{
	static const uint8_t none[16];
	uint8_t want[16], gid[16];
	char path[64], line[64];

	vbm_addr_to_gid(a, want);
	for (int i = 0, holes = 0; holes < HOLES_BELIEVED; i++) {
		snprintf(path, sizeof(path), "gids/%d", i);
		*fd = read_line_at(port, path, line, sizeof(line));
		if (*fd < 0)
			return false;
		if (!vbm_gid_from_text(line, gid) || !memcmp(gid, none, 16)) {
			holes++;
		} else if (!memcmp(gid, want, 16)) {
			int dev;

			snprintf(path, sizeof(path), "gid_attrs/ndevs/%d", i);
			dev = read_line_at(port, path, line, sizeof(line));
			if (dev >= 0)
				close(dev);
			if (dev >= 0 && interface_holds(all, line, a))
				return true;
		}
		close(*fd);
	}
	*fd = -1;
	return false;
}

/* Call scan_port() for each port of the device directory @dev. */
static bool scan_device(int dev, const struct ifaddrs *all, const union addr *a, int *fd)
{
	int ports = openat(dev, "ports", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = ports < 0 ? NULL : fdopendir(ports);
	struct dirent *e;
	bool found = false;

	if (!dir) {
		if (ports >= 0)
			close(ports);
		return false;
	}
	while (!found && (e = readdir(dir))) {
		int port = e->d_name[0] == '.' ? -1 :
			openat(ports, e->d_name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

		if (port < 0)
			continue;
		found = scan_port(port, all, a, fd);
		close(port);
	}
	closedir(dir);
	return found;
}

static bool scan_devices(DIR *dir, const char *sys, const union addr *a, int *fd)
{
	struct ifaddrs *all;
	struct dirent *e;
	bool found = false;

	if (getifaddrs(&all))
		return false;
	while (!found && (e = readdir(dir))) {
		int dev = e->d_name[0] == '.' ? -1 :
			openat(dirfd(dir), e->d_name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

		if (dev < 0)
			continue;
		found = scan_device(dev, all, a, fd);
		close(dev);
	}
	if (!found)
		found = on_ipoib(sys, all, a);
	freeifaddrs(all);
	return found;
}

bool vbm_gid_scan(const char *sys, const union addr *a, int *fd)
{
	char path[256];
	bool found;
	DIR *dir;

	*fd = -1;
	snprintf(path, sizeof(path), "%s/class/infiniband", sys);
	dir = opendir(path);
	if (!dir)
		return false;
	found = scan_devices(dir, sys, a, fd);
	closedir(dir);
	return found;
}

#define SLOTS 8
#define BELIEF_NS 10000000
#define DISBELIEF_NS 50000000

/*
 * Searching all tables costs thousands of small reads. What was found is kept
 * as the open file of the table's entry: reading it again tells whether it
 * still holds, however the fabric has changed. Even that one read costs more
 * than the routing table's answer, so it is not done for every call.
 */
struct slot {
	uint8_t gid[16];
	int64_t until;		/* when to look again */
	int fd;			/* a "yes": the entry's file; -1 */
	bool used;
};

static struct slot slots[SLOTS];
static unsigned int victim;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void take_lock(void)
{
	pthread_mutex_lock(&lock);
}

static void give_lock(void)
{
	pthread_mutex_unlock(&lock);
}

/* A child must not inherit it from a thread that it does not have. */
static void __attribute__((constructor)) mind_forks(void)
{
	pthread_atfork(take_lock, give_lock, give_lock);
}

static int64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC_COARSE, &ts);
	return ts.tv_sec * 1000000000LL + ts.tv_nsec;
}

static bool entry_holds(int fd, const uint8_t gid[16])
{
	uint8_t seen[16];
	char text[64];
	ssize_t n = pread(fd, text, sizeof(text) - 1, 0);

	if (n <= 0)
		return false;
	text[n] = '\0';
	return vbm_gid_from_text(text, seen) && !memcmp(seen, gid, 16);
}

static void forget(struct slot *s)
{
	if (s->used && s->fd >= 0)
		close(s->fd);
	s->used = false;
}

/* 1 yes, 0 no, -1 not known. */
static int remembered(const uint8_t gid[16])
{
	for (int i = 0; i < SLOTS; i++) {
		struct slot *s = &slots[i];

		if (!s->used || memcmp(s->gid, gid, 16))
			continue;
		if (now_ns() < s->until)
			return s->fd >= 0;
		if (s->fd >= 0 && entry_holds(s->fd, gid)) {
			s->until = now_ns() + BELIEF_NS;
			return 1;
		}
		forget(s);
	}
	return -1;
}

static void remember(const uint8_t gid[16], int fd)
{
	struct slot *s = &slots[victim++ % SLOTS];

	forget(s);
	memcpy(s->gid, gid, 16);
	s->fd = fd;
	s->until = now_ns() + (fd < 0 ? DISBELIEF_NS : BELIEF_NS);
	s->used = true;
}

/*
 * The table is one of sysfs: a test's own tree is searched each time, as its
 * files do not vanish with a device.
 */
bool vbm_gids_have(const char *sys, const union addr *a)
{
	bool real = !strcmp(sys, "/sys");
	uint8_t gid[16];
	int known, fd = -1;
	bool found;

	if (!real) {
		found = vbm_gid_scan(sys, a, &fd);
		if (fd >= 0)
			close(fd);
		return found;
	}
	vbm_addr_to_gid(a, gid);
	pthread_mutex_lock(&lock);
	known = remembered(gid);
	if (known < 0) {
		found = vbm_gid_scan(sys, a, &fd);
		/* Without a file there is nothing to read again. */
		if (fd >= 0 || !found)
			remember(gid, fd);
	} else {
		found = known;
	}
	pthread_mutex_unlock(&lock);
	return found;
}
