/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_LIB_QP_QP_H
#define VBM_LIB_QP_QP_H

/*
 * Runs in: the caller's thread; a queue pair belongs to one thread at a time.
 * Owns:    the queue pair, its queues and its share of a domain.
 * Ends:    vbm_destroy_qp(), vbm_destroy_domain(), vbm_destroy_completions().
 * Tests:   unit/test_qp_*, test_domain, test_completions; tests/guest/qp.test.
 */

#include <stdbool.h>

#include <verbatim/domain.h>
#include <verbatim/qp.h>
#include <verbatim/transfer.h>

/* The member borrowed of a queue pair: who else has the object, and destroys it. */
enum qp_borrowed {
	QP_BORROWED_CONTEXT = 1,
	QP_BORROWED_PD = 2,
	QP_BORROWED_CHANNEL = 4,
	QP_BORROWED_CQ = 8,
	QP_IN_DOMAIN = 16,	/* the domain counts this queue pair */
	QP_SHARES_COMPLETIONS = 32,
};

/* The wishes of the options about the place. */
struct qp_wish {
	const char *device;	/* NULL: any; else entries of InfiniBand count, too */
	uint8_t port_num;	/* 0: any */
	int gid_index;		/* -1: any of RoCE v2 */
};

static inline struct qp_wish qp_wish_of(const struct vbm_qp_options *o)
{
	return (struct qp_wish){o->device, o->port_num, o->gid_index};
}

/* Whether an entry of a GID table is as @wish and @address (NULL: any) say. Pure. */
bool vbm_gid_fits(const struct ibv_gid_entry *e, const struct qp_wish *wish, const struct sockaddr *address);

/*
 * vbm_find_gid(), except that @address may be NULL for any address of this host, and that
 * @wish (NULL: none) counts. The device stays open, and the caller releases *@context
 * (vbm_device_release()).
 */
int vbm_gid_search(const struct sockaddr *address, const struct qp_wish *wish, struct vbm_gid_place *place,
		   struct ibv_context **context, struct vbm_error *error);

/* The same on one open device. EADDRNOTAVAIL: it does not have the address. */
int vbm_gid_search_in(struct ibv_context *context, const struct sockaddr *address, const struct qp_wish *wish,
		      struct vbm_gid_place *place, struct vbm_error *error);

/*
 * The same, but EADDRNOTAVAIL comes without a message. When no device has the address, the
 * message is that of the second function, which returns -EADDRNOTAVAIL.
 */
int vbm_gid_search_one_of_many(struct ibv_context *context, const struct sockaddr *address,
			       const struct qp_wish *wish, struct vbm_gid_place *place, struct vbm_error *error);
int vbm_gid_is_nowhere(const struct qp_wish *wish, struct vbm_error *error);

/*
 * The attributes of a transition, from the options, the terms and the peer's values. Returns
 * the mask for ibv_modify_qp(3); 0: there is no such transition. Pure.
 */
int vbm_qp_fill_attr(const struct vbm_qp *q, enum ibv_qp_state from, enum ibv_qp_state to,
		     struct ibv_qp_attr *attr);

/*
 * vbm_create_qp() on the device that @id is bound to, by rdma_create_qp(3). The queue pair
 * is in INIT, or in RTS for datagrams. It must be destroyed before @id.
 */
int vbm_create_qp_on_id(struct vbm_qp **qp, struct rdma_cm_id *id,
			const struct vbm_qp_options *options, struct vbm_error *error);

/* Move the queue pair to ERR, from any state, so that the posted requests complete. */
void vbm_qp_to_error(struct vbm_qp *qp);

/*
 * vbm_reset_qp() of a queue pair that a handshake has. A negotiator's thread must not write
 * to the error of the queue pair.
 */
int vbm_qp_back_to_init(struct vbm_qp *qp, struct vbm_error *error);

/* The options on which both ends have to agree. */
void vbm_qp_own_terms(const struct vbm_qp *qp, struct vbm_qp_terms *terms);

/*
 * vbm_modify_qp_to_rts() with the terms of a handshake, which has the queue pair. A
 * negotiator's thread must not write to the error of the queue pair.
 */
int vbm_qp_agreed_to_rts(struct vbm_qp *qp, const struct vbm_qp_terms *terms,
			 struct vbm_error *error);

/* 0, or EBUSY with a message: the queue pair is in a handshake. */
int vbm_qp_not_in_handshake(struct vbm_qp *qp);

/* "INIT"; never NULL. */
const char *vbm_qp_state_name(enum ibv_qp_state state);

/* "RC", or NULL for a type that the table does not have. */
const char *vbm_qp_type_name(enum ibv_qp_type qp_type);

/* Copy the members of @from over the defaults in @to. 0, or EINVAL with a message. */
int vbm_qp_options_take(struct vbm_qp_options *to, const struct vbm_qp_options *from,
			struct vbm_error *error);

/* Check what can be wrong on every device. Pure; 0, or -EINVAL with the member and its limit. */
int vbm_qp_options_check(const struct vbm_qp_options *o, struct vbm_error *error);

/*
 * Check against the limits of the device with this name, and take for more reads and atomics
 * than it can have as many as it can. Pure; 0, or -EINVAL with the member and the limit.
 */
int vbm_qp_options_fit(struct vbm_qp_options *o, const struct ibv_device_attr *limits, const char *device,
		       struct vbm_error *error);

/* Check against the tables of the port. Pure; likewise. */
int vbm_qp_options_fit_port(const struct vbm_qp_options *o, const struct ibv_port_attr *port, const char *device,
			    struct vbm_error *error);

/* A member that rdma_cm chooses must have its default. Pure; 0, or -EOPNOTSUPP with the member. */
int vbm_qp_options_for_rdma_cm(const struct vbm_qp_options *o, struct vbm_error *error);

/* For queue pairs: the domain has one user more, or one less. */
void vbm_domain_join(struct vbm_domain *domain);
void vbm_domain_leave(struct vbm_domain *domain);

/* The limits of its device, which the domain has asked for once. */
const struct ibv_device_attr *vbm_domain_limits(const struct vbm_domain *domain);

/* The place of @address (NULL: of the domain's own) and @wish on the domain's device. 0 or an errno value. */
int vbm_domain_find(const struct vbm_domain *domain, const struct sockaddr *address,
		    const struct qp_wish *wish, struct vbm_gid_place *place, struct vbm_error *error);

/* vbm_create_completions() for one queue pair, which vbm_destroy_completions() refuses. */
int vbm_completions_make(struct vbm_completions **completions, struct ibv_context *context, int room,
			 struct vbm_error *error);

/* One of a completion queue that is there (NULL: the caller sets the parts). 0 or ENOMEM. */
int vbm_completions_of_parts(struct vbm_completions **completions, struct ibv_cq *cq);

/* Destroy the completion queue of one queue pair, and what it has made for that. */
int vbm_completions_end(struct vbm_completions *completions);

/* A queue pair uses the completion queue, or does not any more. 0 or ENOMEM. */
int vbm_completions_join(struct vbm_completions *completions, struct vbm_qp *qp);
void vbm_completions_leave(struct vbm_completions *completions, const struct vbm_qp *qp);

/*
 * Wait for an event of the channel until @end (see vbm_loop_ms_left()), and take it.
 * @interrupt is an eventfd + 1, which is then read, or 0. ETIMEDOUT, ECANCELED, EINTR, or
 * the errno of poll(2) or ibv_get_cq_event(3).
 */
int vbm_completions_next_event(struct vbm_completions *completions, int64_t end, unsigned int interrupt);

#endif
