/* SPDX-License-Identifier: BSD-2-Clause */
#include "program/listening.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/xalloc.h"
#include "fabric/fabric.h"
#include "process/task.h"

#define TCP_LISTEN_STATE 0x0a

struct inodes {
	unsigned long *item;	/* owned */
	size_t count;
	bool held;		/* a process of the session has one of them open */
};

unsigned long listening_tcp_inode(const char *line)
{
	unsigned int state;
	unsigned long inode;

	if (sscanf(line, " %*u: %*32[0-9A-Fa-f]:%*4[0-9A-Fa-f] %*32[0-9A-Fa-f]:%*4[0-9A-Fa-f] %x "
			 "%*8[0-9A-Fa-f]:%*8[0-9A-Fa-f] %*2[0-9A-Fa-f]:%*8[0-9A-Fa-f] "
			 "%*8[0-9A-Fa-f] %*u %*u %lu", &state, &inode) != 2)
		return 0;
	return state == TCP_LISTEN_STATE ? inode : 0;
}

/* Add the listening sockets in the network namespace of process @pid. */
static void add_sockets(struct inodes *list, pid_t pid, const char *table)
{
	auto_free char *path = xasprintf("/proc/%d/net/%s", pid, table);
	auto_file FILE *f = fopen(path, "re");
	unsigned long inode;
	char line[512];

	while (f && fgets(line, sizeof(line), f)) {
		inode = listening_tcp_inode(line);
		if (!inode)
			continue;
		GROW(list->item, list->count);
		list->item[list->count++] = inode;
	}
}

/* False, which ends the search, when the process has one of the sockets open. */
static bool holds_none(pid_t pid, void *arg)
{
	struct inodes *list = arg;
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
				list->held = true;
	}
	return !list->held;
}

bool listening_session_on_tcp(pid_t sid)
{
	struct inodes list = {0};

	add_sockets(&list, sid, "tcp");
	add_sockets(&list, sid, "tcp6");
	if (list.count)
		task_session_each(sid, holds_none, &list);
	free(list.item);
	return list.held;
}

void session_search_see(int pid, void *search)
{
	struct session_search *s = search;

	if (pid > 0 && getsid(pid) == s->sid)
		s->found = true;
}

bool listening_session(struct fabric *fabric, int host, pid_t sid)
{
	struct session_search search = {.sid = sid};

	fabric_listeners(fabric, host, session_search_see, &search, NULL);
	return search.found || listening_session_on_tcp(sid);
}
