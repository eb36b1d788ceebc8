/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_LIB_ENDPOINT_H
#define VBM_LIB_ENDPOINT_H

#include <stdbool.h>

#include "lib/endpoint/callers.h"
#include "lib/endpoint/table.h"
#include "lib/base/loop.h"

#define PRIVATE_DATA_MAX 256	/* no message has room for more */

/* What the files of lib/endpoint share. */
struct endpoint {
	struct vbm_endpoint pub;	/* first */
	struct vbm_endpoint_options options;
	const struct endpoint_calls *calls;
	struct rdma_event_channel *own;	/* owned; where calls wait; NULL: the program's */
	struct rdma_addrinfo *translated;	/* owned */
	const struct rdma_addrinfo *at;	/* the address under way */
	int64_t deadline;		/* of the call, CLOCK_MONOTONIC in ns; 0: none */
	int64_t step_end;		/* of the address under way */
	bool is_passive;		/* came as a request */
	uint8_t initiator_depth, responder_resources;	/* what the peer allows */
	uint8_t request_data[PRIVATE_DATA_MAX];
	uint8_t peer_data[PRIVATE_DATA_MAX];
	struct callers callers;		/* of a listener by the handshake */
	struct vbm_endpoint *arrived;	/* of a listener: the request just taken */
};

/* What the ways do differently. All return 0 or a positive errno value. */
struct endpoint_calls {
	int (*connect)(struct endpoint *e, const char *node, const char *service);
	int (*listen)(struct endpoint *e, const struct rdma_addrinfo *at);
	int (*get_request)(struct endpoint *e, int timeout_ms);	/* into @arrived */
	int (*accept)(struct endpoint *e, const void *data, size_t len);
	int (*reject)(struct endpoint *e, const void *data, size_t len);
	int (*disconnect)(struct endpoint *e);
	int (*wait)(struct endpoint *e, int timeout_ms);
	void (*look)(struct endpoint *e);	/* at what has happened meanwhile */
	int (*fd)(const struct endpoint *e);	/* readable when something has happened; or -1 */
	int64_t (*due)(const struct endpoint *e);	/* CLOCK_MONOTONIC, ns; 0: nothing is */
	void (*end)(struct endpoint *e);	/* when the queue pair has gone */
};

extern const struct endpoint_calls vbm_endpoint_cm, vbm_endpoint_handshake;

/* For a call that begins: the time limit of the options, from now on. */
void vbm_endpoint_begin(struct endpoint *e);

/* The share of the address under way in the time that is left: into @step_end. */
void vbm_endpoint_share_time(struct endpoint *e);

/* Fill the error in, enter FAILED, and move the queue pair to ERR. Returns @code. */
int vbm_endpoint_failed(struct endpoint *e, int code);

/* An endpoint with a copy of the options. NULL: ENOMEM. */
struct endpoint *vbm_endpoint_new(const struct vbm_endpoint_options *options,
				  const struct endpoint_calls *calls);

/* An endpoint like @listener, for a request. NULL: ENOMEM. */
struct endpoint *vbm_endpoint_for_request(const struct endpoint *listener);

void vbm_endpoint_hints(const struct endpoint *e, bool passive, struct rdma_addrinfo *hints);
int vbm_endpoint_translate(struct endpoint *e, const char *node, const char *service,
			   bool passive);

/*
 * What goes with a request, into @data of PRIVATE_DATA_MAX bytes: ai_connect of
 * the address first, the program's data behind it. 0 or EMSGSIZE.
 */
int vbm_endpoint_connect_data(struct endpoint *e, uint8_t *data, size_t *len);

/* Let the program prepare the new queue pair. */
int vbm_endpoint_prepare(struct endpoint *e);

/* End the queue pair of an address that would not do. EBUSY: the program uses it. */
int vbm_endpoint_discard(struct endpoint *e);

/* The address under way, in words, into @text of INET6_ADDRSTRLEN bytes. */
const char *vbm_endpoint_address(const struct endpoint *e, char *text);

/* What a peer has sent. @data may be NULL. */
void vbm_endpoint_keep_data(struct endpoint *e, const void *data, size_t len);

static inline struct endpoint *endpoint_of(struct vbm_endpoint *ep)
{
	return (struct endpoint *)ep;
}

#endif
