/* SPDX-License-Identifier: BSD-2-Clause */
#include "gid-table.h"

#include <dirent.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <net/if_arp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define GROUPS 8
#define HOLES_BELIEVED 64
#define PATH_ROOM 192

#ifndef SO_NETNS_COOKIE
#define SO_NETNS_COOKIE 71
#endif

#define SLOTS 8
#define BELIEF_NS 10000000
#define DISBELIEF_NS 50000000

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

/* One search of all tables. */
struct search {
	const char *sys;
	const union addr *a;
	uint8_t gid[16];		/* what @a is there */
	const struct ifaddrs *all;	/* this host's addresses */
	const char *device;		/* the directory that is searched */
	char *entry;			/* the path of what was found, or "" */
};

/* The line of a small file, without its newline; false when unreadable. */
static bool read_line_at(int dir, const char *path, char *line, size_t room)
{
	int fd = openat(dir, path, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		return false;
	n = read(fd, line, room - 1);
	close(fd);
	if (n <= 0)
		return false;
	line[n] = '\0';
	line[strcspn(line, "\n")] = '\0';
	return true;
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
static bool interface_holds(const struct search *s, const char *name)
{
	for (const struct ifaddrs *i = s->all; i; i = i->ifa_next)
		if (!strcmp(i->ifa_name, name) && same_ip(i->ifa_addr, s->a))
			return true;
	return false;
}

static bool is_ipoib(const char *sys, const char *name)
{
	char path[PATH_ROOM], line[32];

	snprintf(path, sizeof(path), "%s/class/net/%s/type", sys, name);
	return read_line_at(AT_FDCWD, path, line, sizeof(line)) &&
	       strtol(line, NULL, 10) == ARPHRD_INFINIBAND;
}

static bool on_ipoib(const struct search *s)
{
	for (const struct ifaddrs *i = s->all; i; i = i->ifa_next)
		if (same_ip(i->ifa_addr, s->a) && is_ipoib(s->sys, i->ifa_name))
			return true;
	return false;
}

typedef bool visitor(struct search *s, int dir, const char *name);

/* Whether @visit is content with one of the directories in @path. */
static bool visit_each(struct search *s, int at, const char *path, visitor *visit)
{
	int fd = openat(at, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *e;
	bool found = false;

	if (!dir) {
		if (fd >= 0)
			close(fd);
		return false;
	}
	while (!found && (e = readdir(dir))) {
		int inner = e->d_name[0] == '.' ? -1 :
			openat(fd, e->d_name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

		if (inner < 0)
			continue;
		found = visit(s, inner, e->d_name);
		close(inner);
	}
	closedir(dir);
	return found;
}

static void note_entry(struct search *s, const char *port, int index)
{
	int n = snprintf(s->entry, PATH_ROOM, "%s/class/infiniband/%s/ports/%s/gids/%d",
			 s->sys, s->device, port, index);

	if (n >= PATH_ROOM)
		*s->entry = '\0';
}

/* The table has holes where addresses came and went; it fills from below. */
static bool search_port(struct search *s, int dir, const char *name)
{
	static const uint8_t none[16];
	char path[64], line[64];
	uint8_t gid[16];

	for (int i = 0, holes = 0; holes < HOLES_BELIEVED; i++) {
		snprintf(path, sizeof(path), "gids/%d", i);
		if (!read_line_at(dir, path, line, sizeof(line)))
			return false;
		if (!vbm_gid_from_text(line, gid) || !memcmp(gid, none, 16)) {
			holes++;
			continue;
		}
		if (memcmp(gid, s->gid, 16))
			continue;
		snprintf(path, sizeof(path), "gid_attrs/ndevs/%d", i);
		if (read_line_at(dir, path, line, sizeof(line)) && interface_holds(s, line)) {
			note_entry(s, name, i);
			return true;
		}
	}
	return false;
}

static bool search_device(struct search *s, int dir, const char *name)
{
	s->device = name;
	return visit_each(s, dir, "ports", search_port);
}

/* @entry, of PATH_ROOM bytes, is where it stands; "" when not in a table. */
static bool search_all(const char *sys, const union addr *a, char *entry)
{
	struct search s = {.sys = sys, .a = a, .entry = entry};
	char path[PATH_ROOM];
	struct ifaddrs *all;
	bool found;

	*entry = '\0';
	snprintf(path, sizeof(path), "%s/class/infiniband", sys);
	if (access(path, F_OK) || getifaddrs(&all))
		return false;
	vbm_addr_to_gid(a, s.gid);
	s.all = all;
	found = visit_each(&s, AT_FDCWD, path, search_device) || on_ipoib(&s);
	freeifaddrs(all);
	return found;
}

/*
 * Searching all tables costs thousands of small reads. What was found is kept
 * as the path of the table's entry: reading it again tells whether it still
 * holds, however the fabric has changed. Even that one read costs more than
 * the routing table's answer, so it is not done for every call.
 */
struct slot {
	uint8_t gid[16];
	uint64_t netns;			/* where that is so; 0: not in use */
	int64_t until;			/* when to look again */
	char entry[PATH_ROOM];		/* of a "yes"; "": it is a "no" */
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

static bool entry_holds(const struct slot *s)
{
	uint8_t gid[16];
	char line[64];

	return *s->entry && read_line_at(AT_FDCWD, s->entry, line, sizeof(line)) &&
	       vbm_gid_from_text(line, gid) && !memcmp(gid, s->gid, 16);
}

/* 1 yes, 0 no, -1 not known. */
static int remembered(uint64_t netns, const uint8_t gid[16])
{
	for (int i = 0; i < SLOTS; i++) {
		struct slot *s = &slots[i];

		if (s->netns != netns || memcmp(s->gid, gid, 16))
			continue;
		if (now_ns() < s->until)
			return *s->entry != '\0';
		if (entry_holds(s)) {
			s->until = now_ns() + BELIEF_NS;
			return 1;
		}
		s->netns = 0;
	}
	return -1;
}

static void remember(uint64_t netns, const uint8_t gid[16], const char *entry)
{
	struct slot *s = &slots[victim++ % SLOTS];

	s->netns = netns;
	memcpy(s->gid, gid, sizeof(s->gid));
	memcpy(s->entry, entry, sizeof(s->entry));
	s->until = now_ns() + (*entry ? BELIEF_NS : DISBELIEF_NS);
}

static bool recall_or_search(const char *sys, uint64_t netns, const union addr *a)
{
	char entry[PATH_ROOM];
	uint8_t gid[16];
	int known;
	bool found;

	vbm_addr_to_gid(a, gid);
	known = remembered(netns, gid);
	if (known >= 0)
		return known;
	found = search_all(sys, a, entry);
	/* A "yes" without an entry has nothing to be read anew. */
	if (*entry || !found)
		remember(netns, gid, entry);
	return found;
}

/* Never the same for two namespaces; 0 before Linux 5.14, which does not say. */
static uint64_t netns_of(int socket)
{
	uint64_t cookie = 0;
	socklen_t len = sizeof(cookie);

	if (getsockopt(socket, SOL_SOCKET, SO_NETNS_COOKIE, &cookie, &len))
		return 0;
	return cookie;
}

/* A test's own tree changes faster than any belief: it is searched each time. */
bool vbm_gids_have(const char *sys, int socket, const union addr *a)
{
	uint64_t netns = strcmp(sys, "/sys") ? 0 : netns_of(socket);
	char entry[PATH_ROOM];
	bool found;

	if (!netns)
		return search_all(sys, a, entry);
	take_lock();
	found = recall_or_search(sys, netns, a);
	give_lock();
	return found;
}
