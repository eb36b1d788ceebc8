/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_TRACE_TRACE_H
#define VBM_TRACE_TRACE_H

/*
 * Runs in: inside a program of the user, in any of its threads.
 * Owns:    nothing but standard error.
 * Ends:    with the program.
 * Tests:   tests/guest/trace.test.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

#include <infiniband/verbs.h>
#include <rdma/rdma_cma.h>

/*
 * verbatim-trace.so, which "verbatim exec --trace verbs" loads into the programs: it passes
 * each call on, and prints those that failed. It links neither libibverbs nor librdmacm,
 * because it is loaded into every program of a host, shells too; it calls the libraries
 * that the program has.
 */

/* The same function in the program's library. Never NULL: without it the program is ended. */
void *trace_next(const char *symbol);
#define NEXT(symbol) ((__typeof__(&symbol))trace_next(#symbol))

/* "CALL(ARGUMENTS) = -1, errno EINVAL (22)", by the ways in which calls fail. */
enum trace_way {
	TRACE_NULL,	/* NULL and errno */
	TRACE_NUMBER,	/* a positive errno, or -1 and errno */
};

/*
 * Prints the line of a failed call; @reason, which may be NULL, is added to it. Keeps errno.
 */
void trace_failed(const char *call, enum trace_way way, long ret, const char *reason,
		  const char *fmt, ...) __attribute__((format(printf, 5, 6)));

/* Prints another line, such as a completion that failed. Keeps errno. */
void trace_say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* While it is more than 0, calls of this thread are not traced. */
extern __thread int trace_quiet;

/* trace-text.c: values as text, in a buffer of the thread that the next few calls reuse. */
const char *trace_address(const struct sockaddr *addr);
const char *trace_access(int access);
const char *trace_qp_type(int type);
const char *trace_qp_state(int state);
const char *trace_port_space(int space);
const char *trace_errno(int number);	/* "EINVAL (22): Invalid argument" */
const char *trace_gid(const union ibv_gid *gid);
const char *trace_id(const struct rdma_cm_id *id);	/* "id from 10.0.0.1:5 to 10.0.0.2:7" */

/* calls-context.c: calls that headers make through the context of a device. */
void trace_context(struct ibv_context *context);

#endif
