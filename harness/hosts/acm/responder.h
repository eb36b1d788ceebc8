/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_ACM_RESPONDER_H
#define VBM_ACM_RESPONDER_H

/*
 * Runs in: a process that the agent of the host forks.
 * Owns:    one listening socket, its connections, and a log of requests.
 * Ends:    with its agent.
 * Tests:   unit/test_acm; fuzz/fuzz_acm_service.
 */

#include <stdint.h>
#include <sys/types.h>

#include <verbatim/error.h>

struct value;

#define ACM_RUN "/run"		/* the folder in which clients look for the service */
#define ACM_SOCKET "ibacm.sock"
#define ACM_PORT "ibacm.port"

/* A path service in a process of its own, which ends with its caller. */
struct acm_responder {
	pid_t pid;	/* 0: no process */
	int log_fd;	/* owned: "connect", "resolve SRC DST PATHS NODELAY DGID PKEY" or "garbage" */
	int control_fd;	/* owned; see acm_responder_settle() */
};

/* Start the service. When this returns it listens in the folder @run. @acm: see acm/answer.h. */
int acm_responder_start(struct acm_responder *r, const char *run, const struct value *acm,
			struct vbm_error *err);

/* When this returns, the log has all requests that were sent before the call. */
int acm_responder_settle(int control_fd, int64_t deadline_ns, struct vbm_error *err);

/* Stop the service. Its clients see their connections end. */
void acm_responder_stop(struct acm_responder *r);

#endif
