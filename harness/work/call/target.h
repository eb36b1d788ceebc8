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
 * The implementation under test: one entry point for each call that a step makes.
 * Steps never call a library's function by its name, except the calls that are
 * inline in the headers (post_send, post_recv, poll_cq, req_notify_cq). Those call
 * the device's provider, whoever made the context.
 */
#define TARGET_CALLS(X)                                                       \
	X(getaddrinfo, rdma_getaddrinfo)                                      \
	X(freeaddrinfo, rdma_freeaddrinfo)                                    \
	X(gai_strerror, gai_strerror)                                         \
	X(create_event_channel, rdma_create_event_channel)                    \
	X(destroy_event_channel, rdma_destroy_event_channel)                  \
	X(create_id, rdma_create_id)                                          \
	X(destroy_id, rdma_destroy_id)                                        \
	X(migrate_id, rdma_migrate_id)                                        \
	X(bind_addr, rdma_bind_addr)                                          \
	X(resolve_addr, rdma_resolve_addr)                                    \
	X(resolve_route, rdma_resolve_route)                                  \
	X(cm_create_qp, rdma_create_qp)                                       \
	X(cm_destroy_qp, rdma_destroy_qp)                                     \
	X(listen, rdma_listen)                                                \
	X(connect, rdma_connect)                                              \
	X(accept, rdma_accept)                                                \
	X(reject, rdma_reject)                                                \
	X(disconnect, rdma_disconnect)                                        \
	X(get_cm_event, rdma_get_cm_event)                                    \
	X(ack_cm_event, rdma_ack_cm_event)                                    \
	X(establish, rdma_establish)                                          \
	X(init_qp_attr, rdma_init_qp_attr)                                    \
	X(notify, rdma_notify)                                                \
	X(set_option, rdma_set_option)                                        \
	X(join_multicast, rdma_join_multicast)                                \
	X(join_multicast_ex, rdma_join_multicast_ex)                          \
	X(leave_multicast, rdma_leave_multicast)                              \
	X(event_str, rdma_event_str)                                          \
	X(get_src_port, rdma_get_src_port)                                    \
	X(get_dst_port, rdma_get_dst_port)                                    \
	X(get_request, rdma_get_request)                                      \
	X(create_ep, rdma_create_ep)                                          \
	X(destroy_ep, rdma_destroy_ep)                                        \
	X(get_device_list, ibv_get_device_list)                               \
	X(free_device_list, ibv_free_device_list)                             \
	X(get_device_name, ibv_get_device_name)                               \
	X(get_device_guid, ibv_get_device_guid)                               \
	X(open_device, ibv_open_device)                                       \
	X(close_device, ibv_close_device)                                     \
	X(query_device, ibv_query_device)                                     \
	X(query_gid, ibv_query_gid)                                           \
	X(query_pkey, ibv_query_pkey)                                         \
	X(alloc_pd, ibv_alloc_pd)                                             \
	X(dealloc_pd, ibv_dealloc_pd)                                         \
	X(reg_mr, ibv_reg_mr)                                                 \
	X(reg_mr_iova, ibv_reg_mr_iova)                                       \
	X(rereg_mr, ibv_rereg_mr)                                             \
	X(dereg_mr, ibv_dereg_mr)                                             \
	X(create_srq, ibv_create_srq)                                         \
	X(modify_srq, ibv_modify_srq)                                         \
	X(query_srq, ibv_query_srq)                                           \
	X(destroy_srq, ibv_destroy_srq)                                       \
	X(create_comp_channel, ibv_create_comp_channel)                       \
	X(destroy_comp_channel, ibv_destroy_comp_channel)                     \
	X(create_cq, ibv_create_cq)                                           \
	X(resize_cq, ibv_resize_cq)                                           \
	X(destroy_cq, ibv_destroy_cq)                                         \
	X(get_cq_event, ibv_get_cq_event)                                     \
	X(ack_cq_events, ibv_ack_cq_events)                                   \
	X(get_async_event, ibv_get_async_event)                               \
	X(ack_async_event, ibv_ack_async_event)                               \
	X(create_qp, ibv_create_qp)                                           \
	X(qp_to_qp_ex, ibv_qp_to_qp_ex)                                       \
	X(modify_qp, ibv_modify_qp)                                           \
	X(query_qp, ibv_query_qp)                                             \
	X(destroy_qp, ibv_destroy_qp)                                         \
	X(create_ah, ibv_create_ah)                                           \
	X(init_ah_from_wc, ibv_init_ah_from_wc)                               \
	X(create_ah_from_wc, ibv_create_ah_from_wc)                           \
	X(destroy_ah, ibv_destroy_ah)                                         \
	X(attach_mcast, ibv_attach_mcast)                                     \
	X(detach_mcast, ibv_detach_mcast)

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
#define TARGET_FIELD(field, symbol) __typeof__(&symbol) field;
	TARGET_CALLS(TARGET_FIELD)
#undef TARGET_FIELD
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
