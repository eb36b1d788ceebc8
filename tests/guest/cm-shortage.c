/* SPDX-License-Identifier: BSD-2-Clause */
/* The part of cm-program in which memory, descriptors and threads run out. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../help/shortage.h"
#include "cm-program.h"

#define NOBODY 65534

#if SHORTAGE_WORKS
/* A request that cannot have what it needs ends in its code, or never begins. */
static bool fails_well(struct rdma_event_channel *ec, struct rdma_cm_id *id)
{
	struct rdma_cm_event *e;
	bool good;

	if (resolve_addrinfo(id, "no.such.name", "1", NULL))
		return errno == ENOMEM;
	if (CALL(get_cm_event)(ec, &e)) {
		/* librdmacm itself needs memory to fetch an event. */
		if (errno != ENOMEM || CALL(get_cm_event)(ec, &e))
			return false;
	}
	good = e->id == id && (int)e->event == FAILED &&
		(e->status == AGAIN || (shortage_came() && e->status == NO_MEMORY));
	if (!good)
		printf("# %s, status %d\n", CALL(event_str)(e->event), e->status);
	return !CALL(ack_cm_event)(e) && good;
}

void without_memory(void)
{
	struct rdma_event_channel *ec = channel();
	struct rdma_cm_id *id = make(ec);
	int n = -1;
	bool good;

	do {
		shortage_begin(SHORTAGE_OF_PROCESS, ++n);
		good = fails_well(ec, id);
		shortage_end();
	} while (good && shortage_came());
	if (!good)
		printf("# allocation %d, errno %d\n", n, errno);
	ok(good && n > 5, "each allocation may fail once");
	ok(!resolve_addrinfo(id, self, "1", NULL) && comes(ec, id, RESOLVED, 0) && has_result(id),
	   "and all is well afterwards");
	CALL(destroy_id)(id);
	rdma_destroy_event_channel(ec);
}

#else
void without_memory(void)
{
}
#endif

/* Let @what be @now at most; setrlimit() of *@before undoes it. */
static void limit(int what, rlim_t now, struct rlimit *before)
{
	struct rlimit l;

	getrlimit(what, before);
	l = *before;
	l.rlim_cur = now;
	setrlimit(what, &l);
}

/* In a child that may start none: the kernel would never refuse root. */
static int child_without_threads(struct rdma_cm_id *id)
{
	struct rlimit before;

	alarm(PATIENCE_S);
	if (setgid(NOBODY) || setuid(NOBODY))
		return 1;
	limit(RLIMIT_NPROC, 0, &before);
	return !resolve_addrinfo(id, "no.such.name", "1", NULL) || errno != EAGAIN;
}

void without_descriptors_or_threads(void)
{
	struct rdma_event_channel *ec = channel();
	struct rdma_cm_id *id = make(ec);
	struct rlimit before;
	int next = dup(0), status = -1, server;
	pid_t pid;

	close(next);
	limit(RLIMIT_NOFILE, (rlim_t)next, &before);
	ok(!resolve_addrinfo(id, "no.such.name", "1", NULL) && comes(ec, id, FAILED, SYSTEM_ERROR),
	   "without a descriptor a request fails by its event");
	setrlimit(RLIMIT_NOFILE, &before);
	server = silent_server();
	pid = fork();
	if (!pid)
		_exit(child_without_threads(id));
	ok(waitpid(pid, &status, 0) == pid && !status, "without a thread it does not begin");
	close(server);
	ok(!readable(ec, 0), "and has no event");
	ok(!resolve_addrinfo(id, "no.such.name", "1", NULL) && comes(ec, id, FAILED, AGAIN),
	   "with both it does");
	CALL(destroy_id)(id);
	rdma_destroy_event_channel(ec);
}
