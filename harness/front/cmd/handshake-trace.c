/* SPDX-License-Identifier: BSD-2-Clause */
#include "cmd/handshake-trace.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

/*
 * The library is part of this program, so its calls come here first.
 */
#define NEXT(name) ((__typeof__(&name))find_next(#name))

static pthread_t polling;
static int fails_at = -1;
static int modify_calls;
static int socket_calls[2];	/* of other threads, of the polling thread */

static void *find_next(const char *name)
{
	return dlsym(RTLD_NEXT, name);
}

static int is_polling(void)
{
	return pthread_equal(pthread_self(), polling) != 0;
}

static void count_socket_call(void)
{
	__atomic_fetch_add(&socket_calls[is_polling()], 1, __ATOMIC_RELAXED);
}

static const char *state_name(enum ibv_qp_state state)
{
	static const char *const name[] = {
		[IBV_QPS_RESET] = "RESET", [IBV_QPS_INIT] = "INIT", [IBV_QPS_RTR] = "RTR",
		[IBV_QPS_RTS] = "RTS", [IBV_QPS_SQD] = "SQD", [IBV_QPS_SQE] = "SQE",
		[IBV_QPS_ERR] = "ERR",
	};

	return state < sizeof(name) / sizeof(name[0]) ? name[state] : "?";
}

void handshake_trace_begin(void)
{
	polling = pthread_self();
}

void handshake_trace_fail(enum ibv_qp_state state)
{
	fails_at = (int)state;
}

void handshake_trace_end(void)
{
	printf("socket calls: polling thread %d, other threads %d\n", socket_calls[1], socket_calls[0]);
}

int ibv_modify_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int attr_mask)
{
	int fails = fails_at >= 0 && (int)attr->qp_state == fails_at;
	int ret = NEXT(ibv_modify_qp)(qp, attr, attr_mask | (fails ? IBV_QP_QKEY : 0));

	printf("modify %d: %s, mask %#x, %s thread: %d (%s)\n",
	       __atomic_add_fetch(&modify_calls, 1, __ATOMIC_RELAXED), state_name(attr->qp_state), attr_mask,
	       is_polling() ? "polling" : "other", ret, strerror(ret));
	return ret;
}

ssize_t send(int fd, const void *bytes, size_t n, int flags)
{
	count_socket_call();
	return NEXT(send)(fd, bytes, n, flags);
}

ssize_t recv(int fd, void *bytes, size_t n, int flags)
{
	count_socket_call();
	return NEXT(recv)(fd, bytes, n, flags);
}

int connect(int fd, const struct sockaddr *to, socklen_t len)
{
	count_socket_call();
	return NEXT(connect)(fd, to, len);
}

int accept4(int fd, struct sockaddr *from, socklen_t *len, int flags)
{
	count_socket_call();
	return NEXT(accept4)(fd, from, len, flags);
}
