/* SPDX-License-Identifier: BSD-2-Clause */
#include "runner/listening.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/xalloc.h"
#include "fabric/fabric.h"

#define TCP_LISTEN_STATE 0x0a

struct inodes {
	unsigned long *item;	/* owned */
	size_t count;
};

unsigned long tcp_listening_inode(const char *line)
{
	unsigned int state;
	unsigned long inode;

	if (sscanf(line, " %*u: %*32[0-9A-Fa-f]:%*4[0-9A-Fa-f] %*32[0-9A-Fa-f]:%*4[0-9A-Fa-f] %x "
			 "%*8[0-9A-Fa-f]:%*8[0-9A-Fa-f] %*2[0-9A-Fa-f]:%*8[0-9A-Fa-f] "
			 "%*8[0-9A-Fa-f] %*u %*u %lu", &state, &inode) != 2)
		return 0;
	return state == TCP_LISTEN_STATE ? inode : 0;
}

/* The listening sockets of the namespace that process @pid is in. */
static void add_sockets(struct inodes *list, pid_t pid, const char *table)
{
	auto_free char *path = xasprintf("/proc/%d/net/%s", pid, table);
	auto_file FILE *f = fopen(path, "re");
	unsigned long inode;
	char line[512];

	while (f && fgets(line, sizeof(line), f)) {
		inode = tcp_listening_inode(line);
		if (!inode)
			continue;
		GROW(list->item, list->count);
		list->item[list->count++] = inode;
	}
}

static bool holds_one(pid_t pid, const struct inodes *list)
{
	auto_free char *path = xasprintf("/proc/%d/fd", pid);
	auto_dir DIR *dir = opendir(path);
	const struct dirent *d;
	unsigned long inode;
	char target[64];
	ssize_t n;
	size_t i;

	while (dir && (d = readdir(dir))) {
		n = readlinkat(dirfd(dir), d->d_name, target, sizeof(target) - 1);
		if (n < 0)
			continue;
		target[n] = '\0';
		if (sscanf(target, "socket:[%lu]", &inode) != 1)
			continue;
		for (i = 0; i < list->count; i++)
			if (list->item[i] == inode)
				return true;
	}
	return false;
}

static bool listens_on_tcp(pid_t sid)
{
	struct inodes list = {0};
	auto_dir DIR *proc = NULL;
	const struct dirent *d;
	bool found = false;
	pid_t pid;

	add_sockets(&list, sid, "tcp");
	add_sockets(&list, sid, "tcp6");
	proc = list.count ? opendir("/proc") : NULL;
	while (!found && proc && (d = readdir(proc))) {
		pid = (pid_t)strtol(d->d_name, NULL, 10);
		found = pid > 0 && getsid(pid) == sid && holds_one(pid, &list);
	}
	free(list.item);
	return found;
}

struct wanted {
	pid_t sid;
	bool found;
};

static void match(int pid, void *arg)
{
	struct wanted *w = arg;

	if (pid > 0 && getsid(pid) == w->sid)
		w->found = true;
}

bool session_listens(struct fabric *fabric, int host, pid_t sid)
{
	struct wanted w = {.sid = sid};

	fabric_listeners(fabric, host, match, &w, NULL);
	return w.found || listens_on_tcp(sid);
}
