/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_LIB_BRIDGE_H
#define VBM_LIB_BRIDGE_H

#include <verbatim/addrinfo.h>

/*
 * The asynchronous resolution in the very shape of rdma_resolve_addrinfo(3),
 * on an rdma_cm_id and its event channel, for those who know only that: the
 * preload library, and whoever compares the two.
 *
 * Once it was used on an event channel, that channel's events are fetched
 * through one of ours, and both kinds come out of vbm_bridge_get_cm_event().
 * vbm_bridge_fd() tells of both; the event channel's own descriptor of rdma_cm's
 * only. On channels that it was not used on, all is as without it.
 */
int vbm_bridge_resolve_addrinfo(struct rdma_cm_id *cm_id, const char *node,
				const char *service, const struct rdma_addrinfo *hints);
int vbm_bridge_query_addrinfo(struct rdma_cm_id *cm_id, struct rdma_addrinfo **info);
int vbm_bridge_get_cm_event(struct rdma_event_channel *ec, struct rdma_cm_event **event);
int vbm_bridge_ack_cm_event(struct rdma_cm_event *event);
int vbm_bridge_fd(const struct rdma_event_channel *ec);

/*
 * Before rdma_destroy_id(3): a request still under way ends with its id. And
 * before rdma_destroy_event_channel(3).
 */
void vbm_bridge_forget_id(const struct rdma_cm_id *cm_id);
void vbm_bridge_forget_channel(const struct rdma_event_channel *ec);

#endif
