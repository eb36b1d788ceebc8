/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: lib/base/thread.c lib/cm/cm.c lib/resolve/gid-table.c */
/*
 * fork(2) while a thread holds the library's locks. This program links the static library,
 * where the linker chooses the order of the constructors.
 */
#include "cmocka_all.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <sys/wait.h>
#include <unistd.h>

#include <verbatim/addrinfo.h>
#include <verbatim/resolve.h>

#include "lib/base/thread.h"
#include "lib/cm/cm.h"

#define FORKS 300
#define PATIENCE_S 60	/* for each of them: a loaded machine is slow, and does not hang */

static bool stop;

/* Notifiers cannot be made, so this test needs no device. */
static int no_id(struct rdma_event_channel *channel, struct rdma_cm_id **id, void *context,
		 enum rdma_port_space ps)
{
	(void)channel;
	(void)id;
	(void)context;
	(void)ps;
	errno = EMFILE;
	return -1;
}

/* Both locks are taken in one call: that of the ids, and inside it that of the GIDs. */
static void *resolve(void *arg)
{
	int channel_fd[2];
	struct rdma_event_channel channel;
	struct rdma_cm_id id = {.channel = &channel, .ps = RDMA_PS_TCP};
	struct rdma_addrinfo *info;
	struct rdma_cm_event *event;

	(void)arg;
	if (pipe(channel_fd))
		return arg;
	channel.fd = channel_fd[0];
	while (!__atomic_load_n(&stop, __ATOMIC_ACQUIRE)) {
		if (vbm_resolve_addrinfo(&id, "127.0.0.1", "7471", NULL) ||
		    vbm_get_cm_event(&channel, &event) || vbm_ack_cm_event(event) ||
		    vbm_query_addrinfo(&id, &info))
			_exit(2);
		vbm_freeaddrinfo(info);
	}
	return NULL;
}

/* In a process of its own, which a signal ends when it hangs. */
static int fork_often(void)
{
	pthread_t thread;
	int status = -1;
	pid_t pid;

	vbm_cm_calls.create_id = no_id;
	if (pthread_create(&thread, NULL, resolve, NULL))
		return 3;
	for (int i = 0; i < FORKS; i++) {
		alarm(PATIENCE_S);
		pid = fork();
		if (!pid)
			_exit(0);
		if (waitpid(pid, &status, 0) != pid || status)
			return 4;
	}
	__atomic_store_n(&stop, true, __ATOMIC_RELEASE);
	pthread_join(thread, NULL);
	return 0;
}

TEST(test_fork__while_a_call_holds_both_locks)
{
	int status = -1;
	pid_t pid = fork();

	if (!pid)
		_exit(fork_often());
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}
