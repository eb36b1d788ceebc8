/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_LIB_HANDSHAKE_NEGOTIATOR_H
#define VBM_LIB_HANDSHAKE_NEGOTIATOR_H

/*
 * Runs in: the program's thread on one side, the negotiator's thread on the other; two queues between them.
 * Owns:    sockets, queue pairs and threads of handshakes that are under way.
 * Ends:    vbm_destroy_negotiator(), which waits for the threads.
 * Tests:   unit/test_negotiator*, test_talk; tests/guest/handshake.test.
 */

#include <pthread.h>

#include <verbatim/negotiator.h>

#include "lib/base/addr.h"
#include "lib/handshake/drive.h"
#include "lib/handshake/mover.h"
#include "lib/base/loop.h"
#include "lib/base/ring.h"

/*
 * Two queues connect the program and the thread, each with one writer and one reader.
 * Indexes only grow; an entry is at its index modulo the size, which is a power of 2. A
 * negotiator without a thread has the same queues, and the program's calls do the thread's
 * work.
 */
struct queue {
	uint32_t head __attribute__((aligned(64)));	/* the next entry to read; only the reader changes it */
	uint32_t tail __attribute__((aligned(64)));	/* the next entry to write; only the writer changes it */
	uint32_t size;
};

enum request_kind {
	REQUEST_LISTEN, REQUEST_OFFER, REQUEST_CONNECT, REQUEST_CANCEL, REQUEST_CLOSE, REQUEST_ACCEPT,
	REQUEST_REJECT,
};

#define NO_SLOT UINT32_MAX	/* of an outcome that belongs to no request */

struct negotiator_request {
	enum request_kind kind;
	bool has_outcome;	/* else @slot is another request's */
	uint32_t slot, generation;
	int listener;
	struct vbm_qp *qp;
	void *context;
	uint64_t client;	/* that is accepted or rejected */
	union addr address;
	struct vbm_listen_options options;	/* of a connect and an answer: only the member handshake */
	uint8_t private_data[VBM_HANDSHAKE_PRIVATE_MAX];
};

/* A queue pair that was handed in. The thread owns it until its outcome is in the queue. */
struct negotiator_job {
	struct ring link;	/* among the offers of a listener */
	struct vbm_qp *qp;	/* NULL: the slot is free, or a listener's */
	void *context;
	struct negotiation *negotiation;	/* NULL: no client yet */
	int listener;		/* that the queue pair is for; 0: a connect */
	bool is_offer;		/* goes to another client when one fails */
	uint32_t slot, generation;
	struct vbm_error error;		/* of a failure; the program's side copies it to the queue pair */
};

/* The calls that need a device; a test replaces them. */
struct negotiator_verbs {
	bool (*in_init)(const struct vbm_qp *qp);
	int (*to_rts)(const struct handshake *h, struct vbm_qp *qp, struct vbm_error *error);
	void (*give_up)(struct vbm_qp *qp);
	int (*back_to_init)(struct vbm_qp *qp, struct vbm_error *error);
};

/* A client about which the program decides. The free ones are a stack. */
struct asked_client {
	struct negotiation *t;	/* NULL: free */
	uint32_t generation, next_free;
};

struct vbm_negotiator {
	/* used by the program */
	uint32_t depth, free_count;
	uint32_t *free_slot;	/* a stack */
	uint32_t *generation;	/* of each slot */
	struct vbm_qp **qp;	/* of each slot in use; NULL: a listener's */
	int last_listener;
	bool in_loop;		/* there is no thread */
	bool working;		/* in_loop: a call does the thread's work */
	struct timer due;	/* in_loop: makes the descriptor readable while there are outcomes */
	pthread_t thread;
	/* used by the thread */
	struct loop loop;
	struct watch wakeup;	/* readable when there are new requests */
	struct negotiator_job *job;	/* of each slot */
	struct ring listeners, negotiations;
	struct mover mover;	/* makes the calls that may block */
	struct ring devices;	/* of the queue pairs that are handed in: struct device_watch */
	bool untold;		/* there are outcomes that the program was not notified of */
	struct asked_client *asked;	/* depth of them */
	uint32_t free_asked;	/* depth: none */
	/* used by both */
	const struct negotiator_verbs *verbs;
	struct queue to_thread, to_program;
	struct negotiator_request *request;
	struct vbm_outcome *outcome;
	uint32_t *outcome_slot;
	int asleep;		/* the thread wants to be woken */
	int armed;		/* the program wants to be notified by notify_fd */
	int notified;		/* notify_fd may be readable; at most once for each time that it was armed */
	int stop;
	int notify_fd;
};

/*
 * For the writer: whether the queue is full, the index of the next entry, and publishing
 * that entry.
 */
static inline bool queue_full(const struct queue *q)
{
	return q->tail - __atomic_load_n(&q->head, __ATOMIC_ACQUIRE) == q->size;
}

static inline uint32_t queue_end(const struct queue *q)
{
	return q->tail & (q->size - 1);
}

/* Sequentially consistent with the flags asleep and armed, so that no wake-up is lost. */
static inline void queue_push(struct queue *q)
{
	__atomic_store_n(&q->tail, q->tail + 1, __ATOMIC_SEQ_CST);
}

static inline bool queue_empty(const struct queue *q)
{
	return __atomic_load_n(&q->tail, __ATOMIC_SEQ_CST) == q->head;
}

static inline uint32_t queue_first(const struct queue *q)
{
	return q->head & (q->size - 1);
}

static inline void queue_pop(struct queue *q)
{
	__atomic_store_n(&q->head, q->head + 1, __ATOMIC_RELEASE);
}

/* A device of queue pairs that were handed in. It is watched while there are any. */
struct device_watch {
	struct watch watch;
	struct ring link;
	struct vbm_negotiator *n;
	struct ibv_context *context;
	void (*gone)(struct vbm_negotiator *n, const struct ibv_context *context);
	unsigned int users;
};

/*
 * For the thread: a queue pair with @context was handed in, or its outcome is written. When
 * the device goes, @gone is called, and ends all that use it. NULL for @context is fine.
 */
void vbm_negotiator_watch_device(struct vbm_negotiator *n, struct ibv_context *context,
				 void (*gone)(struct vbm_negotiator *n, const struct ibv_context *context));
void vbm_negotiator_leave_device(struct vbm_negotiator *n, const struct ibv_context *context);

/* Make a negotiator. @verbs is NULL for the calls of libibverbs. */
int vbm_negotiator_make(struct vbm_negotiator **negotiator,
			const struct vbm_negotiator_options *options,
			const struct negotiator_verbs *verbs, struct vbm_error *error);

/* The function of the thread. Before it returns it ends all negotiations. */
void *vbm_negotiator_run(void *negotiator);

/*
 * For a negotiator without a thread. take: carry out the program's requests. work: also wait
 * up to @timeout_ms (0: do not wait; -1: no limit) for sockets and timers, and serve them;
 * 0, or the errno of that wait. end: end all negotiations.
 */
void vbm_negotiator_take(struct vbm_negotiator *n);
int vbm_negotiator_work(struct vbm_negotiator *n, int timeout_ms);
void vbm_negotiator_end(struct vbm_negotiator *n);

#endif
