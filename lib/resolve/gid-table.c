/* SPDX-License-Identifier: BSD-2-Clause */
#include "lib/resolve/gid-table.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <net/if_arp.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "lib/base/fail.h"
#include "lib/base/loop.h"
#include "lib/base/thread.h"
#include "lib/resolve/locals.h"

#define GROUPS 8
#define HOLES_BELIEVED 64
#define PATH_ROOM 192
#define NAMES_ROOM 2048

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
struct gid_table_search {
	const char *sys;
	const union addr *a;
	int socket;
	uint8_t gid[16];		/* @a in the form of a table entry */
	struct locals locals;
	const char *device;		/* the directory that is searched */
	char *entry;			/* the path of the entry that was found, or "" */
};

/* Read the line of a small file, without its newline: 1, 0 or a negative errno. */
static int read_line_at(int dir, const char *path, char *line, size_t room)
{
	int fd = openat(dir, path, O_RDONLY | O_CLOEXEC), ret;
	ssize_t n;

	if (fd < 0)
		return shortage_of_call();
	n = read(fd, line, room - 1);
	ret = n < 0 ? shortage_of_call() : n > 0;
	close(fd);
	line[n > 0 ? n : 0] = '\0';
	line[strcspn(line, "\n")] = '\0';
	return ret;
}

/* The next interface that holds the address; false when there are no more. */
static bool next_interface(const struct gid_table_search *s, size_t *at, struct ifreq *request)
{
	while (*at < s->locals.count) {
		const struct local *l = &s->locals.item[(*at)++];

		if (!vbm_local_is(l, s->a))
			continue;
		memset(request, 0, sizeof(*request));
		request->ifr_ifindex = (int)l->index;
		if (!ioctl(s->socket, SIOCGIFNAME, request))
			return true;
	}
	return false;
}

/*
 * In the RDMA subsystem's shared mode the tables of all network namespaces are visible. So
 * the entry's interface must be an interface of this namespace, with this address.
 */
static bool interface_holds(const struct gid_table_search *s, const char *name)
{
	struct ifreq r;

	for (size_t at = 0; next_interface(s, &at, &r);)
		if (!strncmp(r.ifr_name, name, sizeof(r.ifr_name)))
			return true;
	return false;
}

static bool on_ipoib(const struct gid_table_search *s)
{
	struct ifreq r;

	for (size_t at = 0; next_interface(s, &at, &r);)
		if (!ioctl(s->socket, SIOCGIFHWADDR, &r) &&
		    r.ifr_hwaddr.sa_family == ARPHRD_INFINIBAND)
			return true;
	return false;
}

typedef int visitor(struct gid_table_search *s, int dir, const char *name);

static int visit_one(struct gid_table_search *s, int at, const char *name, visitor *visit)
{
	int dir, ret;

	if (*name == '.')
		return 0;
	dir = openat(at, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (dir < 0)
		return shortage_of_call();
	ret = visit(s, dir, name);
	close(dir);
	return ret;
}

/*
 * Calls @visit for each directory in @path until it returns something other than 0, and
 * returns that. The function does not use opendir(3), which takes 32 KiB from the heap
 * each time.
 */
static int visit_each(struct gid_table_search *s, int at, const char *path, visitor *visit)
{
	int fd = openat(at, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC), ret = 0;
	_Alignas(struct dirent64) char names[NAMES_ROOM];
	ssize_t n = 1;

	if (fd < 0)
		return shortage_of_call();
	while (!ret && n > 0) {
		n = getdents64(fd, names, sizeof(names));
		if (n < 0)
			ret = shortage_of_call();
		for (ssize_t i = 0; i < n && !ret;) {
			const struct dirent64 *e = (const void *)(names + i);

			ret = visit_one(s, fd, e->d_name, visit);
			i += e->d_reclen;
		}
	}
	close(fd);
	return ret;
}

static void note_entry(struct gid_table_search *s, const char *port, int index)
{
	int n = snprintf(s->entry, PATH_ROOM, "%s/class/infiniband/%s/ports/%s/gids/%d",
			 s->sys, s->device, port, index);

	if (n >= PATH_ROOM)
		*s->entry = '\0';
}

/* The table fills from the beginning, and has empty entries where addresses were removed. */
static int search_port(struct gid_table_search *s, int dir, const char *name)
{
	static const uint8_t none[16];
	char path[64], line[64];
	uint8_t gid[16];
	int ret;

	for (int i = 0, holes = 0; holes < HOLES_BELIEVED; i++) {
		snprintf(path, sizeof(path), "gids/%d", i);
		ret = read_line_at(dir, path, line, sizeof(line));
		if (ret <= 0)
			return ret;
		if (!vbm_gid_from_text(line, gid) || !memcmp(gid, none, 16)) {
			holes++;
			continue;
		}
		if (memcmp(gid, s->gid, 16))
			continue;
		snprintf(path, sizeof(path), "gid_attrs/ndevs/%d", i);
		ret = read_line_at(dir, path, line, sizeof(line));
		if (ret < 0)
			return ret;
		if (ret && interface_holds(s, line)) {
			note_entry(s, name, i);
			return 1;
		}
	}
	return 0;
}

static int search_device(struct gid_table_search *s, int dir, const char *name)
{
	s->device = name;
	return visit_each(s, dir, "ports", search_port);
}

/*
 * Writes the path of the table entry to @entry, which has PATH_ROOM bytes; "" when the
 * answer does not come from a table.
 */
static int search_all(const char *sys, int socket, const union addr *a, char *entry)
{
	struct gid_table_search s = {.sys = sys, .socket = socket, .a = a, .entry = entry};
	char path[PATH_ROOM];
	int ret;

	*entry = '\0';
	snprintf(path, sizeof(path), "%s/class/infiniband", sys);
	if (access(path, F_OK))
		return shortage_of_call();
	ret = vbm_locals_read(&s.locals);
	if (ret)
		return is_shortage(-ret) ? ret : 0;
	vbm_addr_to_gid(a, s.gid);
	ret = visit_each(&s, AT_FDCWD, path, search_device);
	if (!ret)
		ret = on_ipoib(&s);
	vbm_locals_clear(&s.locals);
	return ret;
}

/*
 * Searching all tables costs thousands of small reads. So the cache keeps the path of the
 * entry that was found. Reading that entry again shows whether it is still true, whatever
 * else has changed. Even this one read costs more than the routing table's answer, so it
 * is not done for every call.
 */
struct slot {
	uint64_t netns;			/* whose answer this is; 0: the slot is free */
	uint32_t scope;
	uint8_t gid[16];
	int64_t until;			/* when to look again */
	char entry[PATH_ROOM];		/* of a "yes"; "": it is a "no" */
};

static struct slot slots[SLOTS];
static unsigned int victim;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void __attribute__((constructor)) mind_forks(void)
{
	vbm_fork_join(FORK_GID_TABLE, &lock, NULL);
}

static struct slot question(uint64_t netns, const union addr *a)
{
	struct slot s = {.netns = netns};

	vbm_addr_to_gid(a, s.gid);
	if (a->sa.sa_family == AF_INET6)
		s.scope = a->in6.sin6_scope_id;
	return s;
}

static struct slot *remembered(const struct slot *q)
{
	for (struct slot *s = slots; s < slots + SLOTS; s++)
		if (s->netns == q->netns && s->scope == q->scope && !memcmp(s->gid, q->gid, 16))
			return s;
	return NULL;
}

static void store_slot(struct slot *q)
{
	q->until = vbm_loop_now_coarse() + (*q->entry ? BELIEF_NS : DISBELIEF_NS);
	slots[victim++ % SLOTS] = *q;
}

static int entry_holds(const struct slot *s)
{
	uint8_t gid[16];
	char line[64];
	int ret = *s->entry ? read_line_at(AT_FDCWD, s->entry, line, sizeof(line)) : 0;

	if (ret > 0)
		ret = vbm_gid_from_text(line, gid) && !memcmp(gid, s->gid, sizeof(gid));
	return ret;
}

/* 1: still true; 0: has to be searched again; or a negative errno. */
static int renew(struct slot *s)
{
	int ret = entry_holds(s);

	if (ret > 0)
		s->until = vbm_loop_now_coarse() + BELIEF_NS;
	if (!ret)
		s->netns = 0;
	return ret;
}

static int recall_or_search(const char *sys, int socket, uint64_t netns, const union addr *a)
{
	struct slot q = question(netns, a), *known = remembered(&q);
	int ret = 0;

	if (known && vbm_loop_now_coarse() < known->until)
		return *known->entry != '\0';
	if (known)
		ret = renew(known);
	if (ret)
		return ret;
	ret = search_all(sys, socket, a, q.entry);
	/* A "yes" without a table entry could not be checked again, so it is not cached. */
	if (!ret || *q.entry)
		store_slot(&q);
	return ret;
}

/* Two namespaces never have the same cookie. 0 before Linux 5.14, which has no cookies. */
static uint64_t netns_of(int socket)
{
	uint64_t cookie = 0;
	socklen_t len = sizeof(cookie);

	if (getsockopt(socket, SOL_SOCKET, SO_NETNS_COOKIE, &cookie, &len))
		return 0;
	return cookie;
}

/* Only the real /sys is cached: a test changes its tree too fast for that. */
int vbm_gids_have(const char *sys, int socket, const union addr *a)
{
	uint64_t netns = strcmp(sys, "/sys") ? 0 : netns_of(socket);
	char entry[PATH_ROOM];
	int ret;

	if (!netns)
		return search_all(sys, socket, a, entry);
	pthread_mutex_lock(&lock);
	ret = recall_or_search(sys, socket, netns, a);
	pthread_mutex_unlock(&lock);
	return ret;
}
