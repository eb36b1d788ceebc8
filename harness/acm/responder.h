/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_ACM_RESPONDER_H
#define VBM_ACM_RESPONDER_H

#include <stdint.h>
#include <sys/types.h>

#include <verbatim/error.h>

struct value;

#define ACM_RUN "/run"		/* where clients look for it */
#define ACM_SOCKET "ibacm.sock"
#define ACM_PORT "ibacm.port"

/* A path service in a process of its own, which ends with its caller. */
struct acm_responder {
	pid_t pid;	/* 0: none */
	int log_fd;	/* owned: "connect", "resolve SRC DST PATHS NODELAY DGID PKEY" or "garbage" */
	int control_fd;	/* owned; see acm_responder_settle() */
};

/* Listens in the folder @run when this returns. @acm: as in acm/answer.h. */
int acm_responder_start(struct acm_responder *r, const char *run, const struct value *acm,
			struct vbm_error *err);

/* What was sent to it before this was called has been noted when it returns. */
int acm_responder_settle(int control_fd, int64_t deadline_ns, struct vbm_error *err);

/* Clients see their connections end. */
void acm_responder_stop(struct acm_responder *r);

#endif
