/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_CALL_VERBS_OBJECTS_H
#define VBM_CALL_VERBS_OBJECTS_H

#include <stdbool.h>
#include <infiniband/verbs.h>
#include <rdma/rdma_cma.h>

#include "call/objects.h"

/* The named objects of the verbs and rdma_cm families that are more than a handle. */

struct cq_object {
	struct object base;
	struct ibv_comp_channel *channel;	/* NULL: the queue has none */
	bool borrowed_channel;			/* the channel belongs to librdmacm or to an object of its own */
	unsigned events;			/* taken but not acknowledged */
	struct cq_ending *ending;		/* a destroy call that waits for them; see step-cq.c */
};

struct mr_object {
	struct object base;
	unsigned char *buffer;	/* owned mapping */
	size_t length;		/* the requested length */
	size_t mapped;
};

/* The memory of a posted request, until its completion. */
struct posted {
	uint64_t wr_id;
	int64_t posted_ns;	/* when the call began */
	bool recv;
	uint64_t mr;		/* serial of the region, or 0 */
	size_t offset, length;
};

struct postings {
	struct posted *item;	/* owned */
	size_t count;
};

struct srq_object {
	struct object base;
	struct postings posted;
};

struct qp_object {
	struct object base;
	enum ibv_qp_type type;
	uint64_t send_cq, recv_cq;	/* serials, because the queues may end before the pair */
	uint64_t srq;			/* serial, or 0 */
	struct postings posted;
	struct ibv_qp_ex *ex;		/* for ibv_wr_start(3), or NULL */
	struct rdma_cm_id *cm_id;	/* the identifier for which rdma_create_qp() made it */
	struct ibv_wc datagram;		/* the completion of the last received datagram */
	struct ibv_grh grh;		/* the header in front of that datagram */
};

/* For steps of other families that make the same objects. */
int pd_release(struct object *o);
/* An object for @qp, which the caller keeps. */
struct qp_object *qp_object_new(struct ibv_qp *qp, enum ibv_qp_type type, uint64_t send_cq, uint64_t recv_cq);
void postings_add(struct postings *list, struct posted p);

/* Makes a completion queue with a channel on @context; NULL with errno set. */
struct cq_object *cq_make(const struct target *t, struct ibv_context *context,
			  int cqe, bool channel, int vector);
void cq_acknowledge(struct cq_object *c, unsigned events);

/* The tables of poll_cq_many in the batch family. */
extern const struct param step_poll_many_params[];
extern const struct field step_poll_many_fields[];
int step_poll_many_run(struct step_ctx *ctx, const struct value *args,
		     struct value *result, struct vbm_error *err);

#define P_CHANNEL                                                             \
	P_OBJECT("channel", OBJECT_CHANNEL, "the event channel; default: channel, or the only one")
#define P_ID                                                                  \
	P_OBJECT("id", OBJECT_CM_ID, "the identifier; default: id, or the only one")

/* The identifier that "id" of @args names, or NULL with @err. */
struct rdma_cm_id *cm_arg_id(struct step_ctx *ctx, const struct value *args, struct vbm_error *err);
/* Names the identifier: "as:", or the default name. */
struct object *cm_keep_id(struct step_ctx *ctx, struct rdma_cm_id *id, bool is_ep);

/* Four groups of hex digits. */
struct value *device_guid_to_value(__be64 guid);

#endif
