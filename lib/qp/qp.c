/* SPDX-License-Identifier: BSD-2-Clause */
#include "lib/qp/qp.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <rdma/rdma_cma.h>

#include "lib/base/addr.h"
#include "lib/base/fail.h"
#include "lib/base/mem.h"
#include "lib/qp/device.h"

/* A device does not tell how many bytes it can have inline. */
static int make_failed(const struct vbm_qp *q, struct vbm_error *error)
{
	const char *call = q->id ? "rdma_create_qp" : "ibv_create_qp";

	if (errno != EINVAL || !q->options.max_inline_data)
		return vbm_device_call_failed(error, call, q->place.device);
	return vbm_fail(error, EINVAL, "max_inline_data: %u may be more than the device allows: %s fails on the device "
			"%s: %s", q->options.max_inline_data, call, q->place.device, strerror(EINVAL));
}

static int make_qp(struct vbm_qp *q, struct vbm_error *error)
{
	const struct vbm_qp_options *o = &q->options;
	struct ibv_qp_init_attr init = {
		.send_cq = q->cq,
		.recv_cq = q->cq,
		.qp_type = o->qp_type,
		.sq_sig_all = o->sq_sig_all,
		.srq = o->srq,
		.cap = {
			.max_send_wr = o->max_send_wr,
			.max_recv_wr = o->max_recv_wr,
			.max_send_sge = o->max_send_sge,
			.max_recv_sge = o->max_recv_sge,
			.max_inline_data = o->max_inline_data,
		},
	};

	errno = 0;
	if (!q->id)
		q->qp = ibv_create_qp(q->pd, &init);
	else if (!rdma_create_qp(q->id, q->pd, &init))
		q->qp = q->id->qp;
	if (!q->qp)
		return make_failed(q, error);
	q->options.max_inline_data = init.cap.max_inline_data;
	return 0;
}

/* An object of the options has to belong to the context that the queue pair uses. */
static int check_context(const struct vbm_qp *q, const struct ibv_context *context, const char *member,
			 struct vbm_error *error)
{
	if (context == q->context)
		return 0;
	return vbm_fail(error, EINVAL, "the member %s of the options belongs to another context of the device %s "
			"than the queue pair", member, q->place.device);
}

/* Use the objects that the program has named. */
static int borrow(struct vbm_qp *q, struct vbm_error *error)
{
	const struct vbm_qp_options *o = &q->options;
	int rc = 0;

	if (o->cq)
		rc = check_context(q, o->cq->context, "cq", error);
	if (rc == 0 && o->completions && (o->cq || o->channel))
		rc = vbm_fail(error, EINVAL, "completions replaces cq and channel in the options: name only one");
	if (rc == 0 && o->completions)
		rc = check_context(q, o->completions->cq->context, "completions", error);
	if (rc == 0 && o->cq && o->channel && o->cq->channel != o->channel)
		rc = vbm_fail(error, EINVAL, "the completion queue of the options is not on their channel");
	if (rc == 0 && o->channel)
		rc = check_context(q, o->channel->context, "channel", error);
	if (rc == 0 && o->srq)
		rc = check_context(q, o->srq->context, "srq", error);
	if (rc)
		return rc;
	if (o->domain)
		q->pd = o->domain->pd;
	q->completions = o->completions;
	q->cq = o->completions ? o->completions->cq : o->cq;
	q->channel = q->cq ? q->cq->channel : o->channel;
	q->borrowed |= (o->domain ? QP_BORROWED_PD : 0) | (q->cq ? QP_BORROWED_CQ : 0) |
		       (q->cq || o->channel ? QP_BORROWED_CHANNEL : 0) | (o->completions ? QP_SHARES_COMPLETIONS : 0);
	return 0;
}

/* Make the objects that the program has not named. */
static int make_own(struct vbm_qp *q, struct vbm_error *error)
{
	const char *device = q->place.device;
	uint64_t cqe = (uint64_t)q->options.max_send_wr + q->options.max_recv_wr;
	int room = cqe > INT32_MAX ? INT32_MAX : cqe ? (int)cqe : 1, rc;

	errno = 0;
	q->pd = q->pd ? q->pd : ibv_alloc_pd(q->context);
	if (!q->pd)
		return vbm_device_call_failed(error, "ibv_alloc_pd", device);
	if (q->cq)
		return 0;
	if (q->channel) {
		q->cq = ibv_create_cq(q->context, room, NULL, q->channel, 0);
		return q->cq ? 0 : vbm_device_call_failed(error, "ibv_create_cq", device);
	}
	rc = vbm_completions_make(&q->completions, q->context, room, error);
	if (rc)
		return -rc;
	q->cq = q->completions->cq;
	q->channel = q->completions->channel;
	return 0;
}

/* For vbm_find_qp(). */
static int join_completions(struct vbm_qp *q, struct vbm_error *error)
{
	int rc = vbm_completions_join(q->completions, q);

	return rc ? vbm_fail(error, rc, "out of memory") : 0;
}

static int make_all(struct vbm_qp *q, struct vbm_error *error)
{
	const char *device = q->place.device;
	struct ibv_device_attr own;
	struct ibv_port_attr port;
	int rc;

	errno = q->options.domain ? 0 : ibv_query_device(q->context, &own);
	if (errno)
		return vbm_device_call_failed(error, "ibv_query_device", device);
	rc = vbm_qp_options_fit(&q->options, q->options.domain ? vbm_domain_limits(q->options.domain) : &own,
				device, error);
	if (rc < 0)
		return rc;
	errno = ibv_query_port(q->context, q->place.port_num, &port);
	if (errno)
		return vbm_device_call_failed(error, "ibv_query_port", device);
	rc = vbm_qp_options_fit_port(&q->options, &port, device, error);
	if (rc < 0)
		return rc;
	q->needs_grh = port.link_layer != IBV_LINK_LAYER_INFINIBAND || q->options.gid_index >= 0 ||
		       port.flags & IBV_QPF_GRH_REQUIRED;
	q->options.device = q->place.device;
	if (!q->options.mtu)
		q->options.mtu = 128 << (int)port.active_mtu;
	rc = borrow(q, error);
	rc = rc ? rc : make_own(q, error);
	rc = rc ? rc : make_qp(q, error);
	if (rc < 0)
		return rc;
	q->local.qp_num = q->qp->qp_num;
	q->local.lid = port.lid;
	q->local.gid = q->place.gid;
	q->user = q->options.user;
	return q->completions ? join_completions(q, error) : 0;
}

static int new_qp(struct vbm_qp **qp, const struct vbm_qp_options *options,
		  struct vbm_error *error)
{
	struct vbm_qp *q;
	int rc = 0;

	if (!qp)
		return vbm_fail(error, EINVAL, "the pointer to the new queue pair is NULL");
	*qp = NULL;
	q = vbm_mem_zalloc(sizeof(*q));
	if (!q)
		return vbm_fail(error, ENOMEM, "out of memory");
	vbm_qp_options_init(&q->options);
	if (options)
		rc = vbm_qp_options_take(&q->options, options, error);
	*qp = q;
	return rc ? -rc : vbm_qp_options_check(&q->options, error);
}

/* A failed call leaves no queue pair. */
static int finish_create(struct vbm_qp **qp, int rc)
{
	if (rc < 0 && qp && *qp) {
		vbm_destroy_qp(*qp);
		*qp = NULL;
	}
	return -rc;
}

static void join_domain(struct vbm_qp *q)
{
	struct vbm_domain *domain = q->options.domain;

	q->context = domain->context;
	q->borrowed |= QP_BORROWED_CONTEXT | QP_IN_DOMAIN;
	vbm_domain_join(domain);
}

static int choose_device(struct vbm_qp *q, const struct sockaddr *address, struct vbm_error *error)
{
	const struct qp_wish wish = qp_wish_of(&q->options);

	if (!q->options.domain)
		return -vbm_gid_search(address, &wish, &q->place, &q->context, error);
	join_domain(q);
	return -vbm_domain_find(q->options.domain, address, &wish, &q->place, error);
}

int vbm_create_qp(struct vbm_qp **qp, const struct sockaddr *address,
		  const struct vbm_qp_options *options, struct vbm_error *error)
{
	int rc = new_qp(qp, options, error);

	if (rc == 0)
		rc = choose_device(*qp, address, error);
	if (rc == 0)
		rc = make_all(*qp, error);
	return finish_create(qp, rc);
}

/*
 * The device, port and GID of a bound rdma_cm_id. The kernel chooses the index of the GID
 * when the connection is made.
 */
static void place_of_id(struct vbm_gid_place *place, struct rdma_cm_id *id)
{
	const char *name = ibv_get_device_name(id->verbs->device);
	const struct sockaddr *own = rdma_get_local_addr(id);
	union addr a;

	memcpy(place->device, name, strnlen(name, sizeof(place->device) - 1));
	place->port_num = id->port_num;
	memset(&a, 0, sizeof(a));
	memcpy(&a, own, vbm_addr_family_len(own->sa_family));
	vbm_addr_to_gid(&a, place->gid.raw);
}

int vbm_create_qp_on_id(struct vbm_qp **qp, struct rdma_cm_id *id,
			const struct vbm_qp_options *options, struct vbm_error *error)
{
	int rc = new_qp(qp, options, error);

	if (rc == 0 && !id->verbs)
		rc = vbm_fail(error, ENODEV, "the rdma_cm_id is not bound to a device");
	if (rc == 0 && (*qp)->options.domain && (*qp)->options.domain->context != id->verbs)
		rc = vbm_fail(error, EINVAL, "the domain is not of the context that librdmacm has open for this "
			      "connection: see for_rdma_cm of struct vbm_domain_options");
	if (rc == 0) {
		(*qp)->id = id;
		(*qp)->context = id->verbs;
		(*qp)->borrowed = QP_BORROWED_CONTEXT;
		if ((*qp)->options.domain)
			join_domain(*qp);
		place_of_id(&(*qp)->place, id);
		rc = make_all(*qp, error);
	}
	return finish_create(qp, rc);
}

/* Destroy one object and set it to NULL, or return the errno of @call. */
#define END(object, call)                                                     \
	do {                                                                  \
		if (object) {                                                 \
			int rc_ = call(object);                               \
			if (rc_)                                              \
				return -vbm_fail(&qp->error, rc_ > 0 ? rc_ : errno, \
						 #call " fails: %s",          \
						 strerror(rc_ > 0 ? rc_ : errno)); \
			(object) = NULL;                                      \
		}                                                             \
	} while (0)

/* Completions of this queue pair alone have made its completion queue and channel, and destroy both. */
static int leave_completions(struct vbm_qp *qp)
{
	int rc;

	if (!qp->completions)
		return 0;
	vbm_completions_leave(qp->completions, qp);
	if (!(qp->borrowed & QP_SHARES_COMPLETIONS)) {
		rc = vbm_completions_end(qp->completions);
		if (rc) {
			qp->error = qp->completions->error;
			return rc;
		}
		qp->cq = NULL;
		qp->channel = NULL;
	}
	qp->completions = NULL;
	return 0;
}

int vbm_destroy_qp(struct vbm_qp *qp)
{
	int busy = qp ? vbm_qp_not_in_handshake(qp) : 0;

	if (!qp || busy)
		return busy;
	END(qp->qp, ibv_destroy_qp);
	if (qp->id)
		qp->id->qp = NULL;
	qp->id = NULL;
	if (leave_completions(qp))
		return qp->error.code;
	if (!(qp->borrowed & QP_BORROWED_CQ))
		END(qp->cq, ibv_destroy_cq);
	if (!(qp->borrowed & QP_BORROWED_CHANNEL))
		END(qp->channel, ibv_destroy_comp_channel);
	if (!(qp->borrowed & QP_BORROWED_PD))
		END(qp->pd, ibv_dealloc_pd);
	if (!(qp->borrowed & QP_BORROWED_CONTEXT))
		END(qp->context, vbm_device_release);
	if (qp->borrowed & QP_IN_DOMAIN)
		vbm_domain_leave(qp->options.domain);
	free(qp);
	return 0;
}
