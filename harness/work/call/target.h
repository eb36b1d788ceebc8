/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_CALL_TARGET_H
#define VBM_CALL_TARGET_H

#include <netdb.h>
#include <stdbool.h>
#include <infiniband/verbs.h>
#include <rdma/rdma_cma.h>

#include <verbatim/error.h>

/*
 * Whether rdma_cm in the kernel, behind @device, accepts events that a program
 * writes itself. rdma_resolve_addrinfo() of librdmacm needs that and fails on
 * kernels before 6.18 (errno -1), whose ABI has the same version. Also true when
 * @device cannot be opened, because then the call itself reports the error.
 */
bool target_ucma_takes_events(const char *device);

/*
 * The implementation under test: one entry point for each call of names/calls.def.
 * Steps never call a library's function by its name, except the calls that are
 * inline in the headers (post_send, post_recv, poll_cq, req_notify_cq). Those call
 * the device's provider, whoever made the context.
 */
struct target {
	char *name;		/* owned; "system", "reference" or a path */
	void *handle;		/* owned; from dlopen, or NULL */
	/* For asynchronous translation; NULL if the target does not have the call. */
	int (*resolve_addrinfo)(struct rdma_cm_id *id, const char *node, const char *service,
				const struct rdma_addrinfo *hints);
	int (*query_addrinfo)(struct rdma_cm_id *id, struct rdma_addrinfo **info);
	int (*cancel)(struct rdma_cm_id *id);
	/* Inline in libibverbs's headers, so only libverbatim has a function. */
	int (*query_port)(struct ibv_context *context, uint8_t port, struct ibv_port_attr *attr);
#define CALL(result, field, type, symbol, ...) __typeof__(&symbol) field;
#include "names/calls.def"
};

/*
 * "system": the libraries that this program is linked with. "reference":
 * libverbatim, and the system's libraries for the calls that it lacks. A path
 * (with a slash): the shared object, and the system's libraries for the calls
 * that it does not define; -ENOEXEC when it defines none of them.
 */
int target_open(struct target **out, const char *name, struct vbm_error *err);
/* The calls that only some versions of a target have, by their names in "requires:". */
const char *target_calls(const struct target *t);
void target_close(struct target *t);	/* NULL is fine */

#endif
