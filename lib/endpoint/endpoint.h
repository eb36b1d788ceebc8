/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_LIB_ENDPOINT_ENDPOINT_H
#define VBM_LIB_ENDPOINT_ENDPOINT_H

/*
 * Runs in: the caller's thread; an endpoint belongs to one thread at a time.
 * Owns:    its id or its socket, its queue pair, and its events.
 * Ends:    vbm_destroy_endpoint().
 * Tests:   unit/test_endpoint*, test_callers*; tests/guest/endpoint.test.
 */

#include <stdbool.h>

#include "lib/endpoint/callers.h"
#include "lib/endpoint/table.h"
#include "lib/base/loop.h"

#define PRIVATE_DATA_MAX 256	/* no message has room for more */

/* The failures at the addresses that were tried before the present one. */
struct endpoint_failures {
	char told[sizeof(((struct vbm_error *)NULL)->msg)];	/* their messages; "": there are none */
	enum vbm_endpoint_state state;	/* of the attempt that came furthest, and what that one says: */
	int code, reason;
	size_t data_len;
	uint8_t data[PRIVATE_DATA_MAX];
};

/* The declarations that the files of lib/endpoint share. */
struct endpoint {
	struct vbm_endpoint pub;	/* first */
	struct vbm_endpoint_options options;
	const struct endpoint_calls *calls;
	struct rdma_event_channel *own;	/* owned; for calls that wait; or NULL */
	struct vbm_resolver *resolver;	/* owned; while a name is being translated */
	struct vbm_request *request;	/* owned */
	char names[128];		/* that are being translated, for a message; cut off */
	struct rdma_addrinfo *translated;	/* owned */
	const struct rdma_addrinfo *at;	/* the address that is being tried */
	int64_t deadline;		/* of the call, CLOCK_MONOTONIC in ns; 0: none */
	int64_t step_end;		/* for the address that is being tried */
	bool is_passive;		/* made for a request of a listener */
	bool in_program;		/* a function of the options is running */
	uint8_t initiator_depth, responder_resources;	/* the peer's limits */
	uint8_t request_data[PRIVATE_DATA_MAX];
	uint8_t peer_data[PRIVATE_DATA_MAX];
	struct endpoint_failures before;
	struct callers callers;		/* of a listener that uses the handshake */
	struct handshake_talk *talk;	/* owned; by the handshake, while it is under way; or NULL */
	int watchfd;			/* owned; when the program asks; or -1 */
	int watched[2];			/* the descriptors in @watchfd, or -1 */
	int interruptfd;		/* owned; with the option interruptible; or -1 */
	int pause_ms;			/* before the addresses are tried again; 0: they have been tried once */
	bool is_pausing;		/* until @step_end */
	int devicefd;			/* owned; for waits, see vbm_endpoint_device_fd(); or -1 */
	bool port_is_down;		/* as the program was told */
	struct vbm_endpoint *arrived;	/* of a listener: the latest request */
};

/* The functions of each way to connect. All return 0 or a positive errno value. */
struct endpoint_calls {
	int (*connect)(struct endpoint *e, const char *node, const char *service);
	int (*listen)(struct endpoint *e, const struct rdma_addrinfo *at);
	int (*get_request)(struct endpoint *e, int timeout_ms);	/* into @arrived */
	int (*accept)(struct endpoint *e, const void *data, size_t len);
	int (*reject)(struct endpoint *e, const void *data, size_t len);
	int (*disconnect)(struct endpoint *e);
	int (*wait)(struct endpoint *e, int timeout_ms);
	int (*look)(struct endpoint *e);	/* not for a listener: handle the events that have arrived; the code of the last step */
	int (*fd)(struct endpoint *e);		/* readable when an event has arrived; or -1 */
	int64_t (*due)(const struct endpoint *e);	/* the next time limit, CLOCK_MONOTONIC, ns; 0: no limit */
	void (*stop)(struct endpoint *e);	/* called before the queue pair is destroyed */
	void (*end)(struct endpoint *e);	/* called after the queue pair was destroyed */
};

extern const struct endpoint_calls vbm_endpoint_cm, vbm_endpoint_handshake;

/*
 * A descriptor for a wait that is readable once for each asynchronous event of the device.
 * The library takes none of these events, because each concerns several endpoints and the
 * program; so the device's own descriptor stays readable. -1: there is none.
 */
int vbm_endpoint_device_fd(struct endpoint *e);
void vbm_endpoint_leave_device(struct endpoint *e);

/*
 * Look whether the queue pair of a connection has failed: EIO, and the state is FAILED; or
 * whether its port went down: ENETDOWN, once; or 0. Where there was no event it costs one
 * system call.
 */
int vbm_endpoint_look_at_device(struct endpoint *e);

/* To be called first by each operation: sets the deadline from the options. */
void vbm_endpoint_begin(struct endpoint *e);

/* Set @step_end: the address under way gets its share of the time that is left. */
void vbm_endpoint_share_time(struct endpoint *e);

/*
 * No address works, and the last one failed with @code. True: the options say that the
 * first one is tried again, at @step_end; the state is RESOLVING_ADDR until then. The queue
 * pair must be discarded first.
 */
bool vbm_endpoint_is_retried(const struct endpoint *e, int code);
void vbm_endpoint_pause(struct endpoint *e);

/* 0, or the errno of eventfd(2). */
int vbm_endpoint_open_interrupt(struct endpoint *e, struct vbm_error *error);

/*
 * Wait until @end for the @count descriptors of @p, which has room for one more. 0: one is
 * ready, or a signal came. ETIMEDOUT; ECANCELED: the program has interrupted the call; or
 * the errno of poll(2); with a message in the endpoint's error.
 */
struct pollfd;
int vbm_endpoint_poll(struct endpoint *e, struct pollfd *p, size_t count, int64_t end);

/* Close the descriptor that the program waits for, if there is one. */
void vbm_endpoint_end_watch(struct endpoint *e);

/* The endpoint has a new queue pair: let the program prepare it, and interrupt its waits. */
int vbm_endpoint_take_qp(struct endpoint *e);

/*
 * The attempt with the present address has failed with @code, in the present state; the
 * endpoint's error has the details. vbm_endpoint_note_failure() keeps that for the time
 * when no other address works either. vbm_endpoint_all_failed() then makes one error of
 * all, and returns its code, that of the attempt that came furthest.
 */
void vbm_endpoint_note_failure(struct endpoint *e, int code);
int vbm_endpoint_all_failed(struct endpoint *e, int code);

/* Fill in the error, enter FAILED, and move the queue pair to ERR. Returns @code. */
int vbm_endpoint_failed(struct endpoint *e, int code);

/* Make an endpoint with a copy of the options. NULL: ENOMEM. */
struct endpoint *vbm_endpoint_new(const struct vbm_endpoint_options *options,
				  const struct endpoint_calls *calls);

/* Make an endpoint like @listener for a request. NULL: ENOMEM. */
struct endpoint *vbm_endpoint_for_request(const struct endpoint *listener);

void vbm_endpoint_hints(const struct endpoint *e, bool passive, struct rdma_addrinfo *hints);

/*
 * Translate the names into @translated. The first call waits. The others do not: after
 * vbm_endpoint_translate_begin() returned 0, vbm_endpoint_translate_go() says whether the
 * translation *@is_over, and then how; until then the resolver's descriptor is readable
 * when it is to be called.
 */
int vbm_endpoint_translate(struct endpoint *e, const char *node, const char *service,
			   bool passive);
int vbm_endpoint_translate_begin(struct endpoint *e, const char *node, const char *service,
				 bool passive);
int vbm_endpoint_translate_go(struct endpoint *e, bool *is_over);

/*
 * Write the data that a request carries to @data, which has PRIVATE_DATA_MAX bytes:
 * ai_connect of the address first, then the program's private data. 0 or EMSGSIZE.
 */
int vbm_endpoint_connect_data(struct endpoint *e, uint8_t *data, size_t *len);

/* Let the program destroy what it has made with the queue pair. */
void vbm_endpoint_undo_qp(struct endpoint *e);

/* Destroy the queue pair of an address that failed. EBUSY: the program still uses it. */
int vbm_endpoint_discard(struct endpoint *e);

/* The address under way as text, in @text of INET6_ADDRSTRLEN bytes. */
const char *vbm_endpoint_address(const struct endpoint *e, char *text);

/* The error of a call for the address under way. Returns @code. */
int vbm_endpoint_call_failed(struct endpoint *e, const char *call, int code);

/* Keep the private data of a peer. @data may be NULL. */
void vbm_endpoint_keep_data(struct endpoint *e, const void *data, size_t len);

/* Whether calls wait until the operation that they begin has ended. */
static inline bool endpoint_waits(const struct endpoint *e)
{
	return !e->options.channel && !e->options.no_wait;
}

static inline struct endpoint *endpoint_of(struct vbm_endpoint *ep)
{
	return (struct endpoint *)ep;
}

#endif
