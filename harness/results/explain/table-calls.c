/* SPDX-License-Identifier: BSD-2-Clause */
#include "explain/table.h"

#include <stddef.h>

#define SIZES "ibv_query_device, then a smaller size; verbatim explain IBV_QP_CAP."
#define IN_USE "Destroy in the opposite order of creation."

/* For each call the causes that people have most often first. */
const struct call_cause explain_call[] = {
	{"ibv_modify_qp", "RTR", "EINVAL", "no GRH: on RoCE ah_attr.is_global must be 1.",
	 "ah_attr.is_global; vbm_qp_check(3)."},
	{"ibv_modify_qp", "RTR", "EINVAL", "grh.sgid_index names a GID of another IP family than "
	 "grh.dgid: index 0 is usually the link-local IPv6 address.",
	 "ibv_query_gid of the index, at both ends; vbm_find_gid(3); option -g of ibv_rc_pingpong, -x of "
	 "perftest, UCX_IB_GID_INDEX, NCCL_IB_GID_INDEX."},
	{"ibv_modify_qp", "RTR", "EINVAL", "grh.dgid is zero: the peer's GID was not exchanged.",
	 "The bytes that both sides exchange before."},
	{"ibv_modify_qp", "RTR", "EINVAL", "path_mtu in bytes: it is a code, and 1 to 5 mean 256 to "
	 "4096 bytes, at most the port's active_mtu.", "verbatim explain IBV_QP_PATH_MTU."},
	{"ibv_modify_qp", "RTR", "EINVAL", "max_dest_rd_atomic above max_qp_rd_atom of the device.",
	 "ibv_query_device."},
	{"ibv_modify_qp", "RTR", "ETIMEDOUT", "no host has the GID in grh.dgid, or nobody answers for it: "
	 "the call waits for the peer's hardware address.",
	 "The peer's GID at this end; ping; ip neigh; a firewall."},
	{"ibv_modify_qp", "RTR", "ENODATA", "the entry of the GID table at grh.sgid_index is empty.",
	 "ibv_query_gid of the index: an address that went away leaves a gap."},
	{"ibv_modify_qp", "RTR", "ENETUNREACH", "other drivers than rxe: no route from the GID at grh.sgid_index to grh.dgid.",
	 "ip route get PEER from ADDRESS."},
	{"ibv_modify_qp", "RTR", "ENODEV", "other drivers than rxe: the interface of the GID at "
	 "grh.sgid_index is gone, or the route leads through one without this device.", "ip route get PEER; rdma link show."},
	{"ibv_modify_qp", "INIT", "EINVAL", "port_num is 0: ports count from 1; or pkey_index beyond the table.",
	 "verbatim explain IBV_QP_PORT."},
	{"ibv_modify_qp", "RTS", "EINVAL", "the queue pair never reached RTR, or max_rd_atomic is above "
	 "max_qp_init_rd_atom of the device.", "The result of the call before; ibv_query_qp."},
	{"ibv_modify_qp", NULL, "EINVAL", "a bit of the mask is missing or too many for this type and "
	 "transition, or the queue pair is in another state than the program thinks.",
	 "vbm_qp_check(3) names the bit; ibv_query_qp has the state."},
	{"ibv_create_qp", NULL, "ENOMEM", "queues that are too large: for the device, for the memory, or for "
	 "the memory that the process may lock.", "ulimit -l; verbatim exec --memory; " SIZES},
	{"ibv_create_qp", NULL, "EINVAL", "max_send_wr, max_recv_wr, max_send_sge, max_recv_sge or "
	 "max_inline_data beyond the device, or no completion queue.", SIZES},
	{"ibv_create_qp", NULL, "EOPNOTSUPP", "a type that the device lacks: rxe has no XRC, "
	 "RAW_PACKET or DRIVER.", "qp_type."},
	{"ibv_post_send", NULL, "ENOMEM", "the send queue is full: requests without IBV_SEND_SIGNALED leave it "
	 "only when a later one with it is polled.", "max_send_wr; signal every Nth request and poll."},
	{"ibv_post_send", NULL, "EINVAL", "the queue pair is not in RTS, num_sge is above max_send_sge, "
	 "inline data is longer than max_inline_data, or the type lacks the operation.",
	 "ibv_query_qp; *bad_wr is the request."},
	{"ibv_post_recv", NULL, "ENOMEM", "the receive queue is full.", "max_recv_wr; poll before posting."},
	{"ibv_post_recv", NULL, "EINVAL", "the queue pair is in RESET, num_sge is above max_recv_sge, "
	 "or the queue pair has a shared receive queue.", "ibv_query_qp; *bad_wr is the request."},
	{"ibv_reg_mr", NULL, "ENOMEM", "the process may not lock that much memory. rxe of Linux 7.3 also "
	 "refuses more than 1 GiB in one region.", "ulimit -l; smaller regions."},
	{"ibv_reg_mr", NULL, "EINVAL", "REMOTE_WRITE or REMOTE_ATOMIC without LOCAL_WRITE.",
	 "The access flags."},
	{"ibv_reg_mr", NULL, "EFAULT", "memory that is not mapped, or not writable with LOCAL_WRITE.",
	 "Address and length."},
	{"ibv_reg_mr", NULL, "EOPNOTSUPP", "memory of a graphics card or of a file without the module for it, "
	 "or on-demand paging, which the device lacks.", "odp_caps of ibv_query_device_ex."},
	{"ibv_create_cq", NULL, "EINVAL", "cqe is 0 or above max_cqe, or comp_vector is not below "
	 "num_comp_vectors.", "ibv_query_device; context->num_comp_vectors."},
	{"ibv_create_ah", NULL, "EINVAL", "no GRH: on RoCE is_global must be 1; or a GID index of another "
	 "IP family.", "attr.is_global, grh.sgid_index."},
	{"ibv_create_ah", NULL, "ETIMEDOUT", "nobody answers for the GID in grh.dgid.", "ping; ip neigh."},
	{"ibv_get_device_list", NULL, "none", "the list is empty: no device, or the library has no provider "
	 "for it.", "rdma link show; apt-get install ibverbs-providers; verbatim doctor."},
	{"ibv_open_device", NULL, "EACCES", "the program may not open /dev/infiniband/uverbsN; containers "
	 "often lack the node.", "ls -l /dev/infiniband."},
	{"ibv_open_device", NULL, "ENODEV", "the device went away since it was listed.", "rdma link show."},
	{"ibv_destroy_qp", NULL, "EBUSY", "it is attached to a multicast group.", "ibv_detach_mcast first."},
	{"ibv_destroy_cq", NULL, "EBUSY", "a queue pair still uses it.", IN_USE},
	{"ibv_destroy_cq", NULL, "hangs", "an event of the queue was not acknowledged.", "ibv_ack_cq_events."},
	{"ibv_dealloc_pd", NULL, "EBUSY", "regions, queue pairs or address handles are still in it.", IN_USE},
	{"ibv_dereg_mr", NULL, "EBUSY", "a memory window is still bound to it.", IN_USE},
	{"ibv_get_cq_event", NULL, "hangs", "ibv_req_notify_cq was not called, or before the last poll found "
	 "the queue empty.", "Arm, then poll once more, then wait."},
	{"ibv_poll_cq", NULL, "status", "it returns completions; a failed request has a status other than 0.",
	 "verbatim explain its status; the first one that is not WR_FLUSH_ERR is the cause."},
	{"rdma_resolve_addr", NULL, "ADDR_ERROR", "the event has a negative errno: -110 nobody answers "
	 "for the address, -101 no route, -19 no RDMA device there.",
	 "ping; ip route get PEER; rdma link show."},
	{"rdma_resolve_addr", NULL, "EADDRNOTAVAIL", "the source address is not one of this host.", "ip addr."},
	{"rdma_resolve_route", NULL, "ENODEV", "the address is a loopback one, which no RDMA device has.",
	 "Use the address of an interface with a device."},
	{"rdma_resolve_route", NULL, "EINVAL", "called before ADDR_RESOLVED came.", "The order of the calls."},
	{"rdma_bind_addr", NULL, "EADDRNOTAVAIL", "the address is not one of this host, or another "
	 "listener has the wildcard address.", "ip addr; rdma resource show cm_id."},
	{"rdma_bind_addr", NULL, "EADDRINUSE", "another identifier has the port.", "rdma resource show cm_id."},
	{"rdma_bind_addr", NULL, "ENODEV", "no RDMA device has the address.", "rdma link show; ip addr."},
	{"rdma_create_event_channel", NULL, "ENODEV", "the kernel has no rdma_cm for programs.",
	 "modprobe rdma_ucm; ls -l /dev/infiniband/rdma_cm."},
	{"rdma_create_event_channel", NULL, "ENOENT", "/dev/infiniband/rdma_cm is missing; containers often "
	 "lack it.", "modprobe rdma_ucm; ls -l /dev/infiniband/rdma_cm."},
	{"rdma_create_qp", NULL, "EINVAL", "the identifier has no device yet, or the sizes are beyond it.",
	 "Call it after ADDR_RESOLVED or CONNECT_REQUEST; " SIZES},
	{"rdma_connect", NULL, "REJECTED", "the event has a reason: 8 nobody listens at that port, 28 the "
	 "peer's program refused, 10 a connection that the peer still has.",
	 "The listener at the peer (rdma resource show cm_id), then private data."},
	{"rdma_connect", NULL, "UNREACHABLE", "the event has -110: no answer to the request.",
	 "UDP port 4791 in firewalls; the peer's program may not take the request."},
	{"rdma_connect", NULL, "EINVAL", "called before ROUTE_RESOLVED, or private data that is too long.",
	 "The order of the calls; private_data_len at most 56 (TCP)."},
	{"rdma_accept", NULL, "EINVAL", "the request is gone: the peer gave up, or it was answered already.",
	 "The order of the calls; the events that came."},
	{"rdma_listen", NULL, "EINVAL", "the identifier is connected or has another state.",
	 "The order of the calls."},
	{"rdma_create_ep", NULL, "ENODEV", "no RDMA device leads to the address.", "rdma link show; ip route get."},
	{"rdma_create_ep", NULL, "ETIMEDOUT", "nobody answers for the address.", "ping; ip neigh."},
	{"rdma_getaddrinfo", NULL, "EAI_NONAME", "the name is not known; -1 is EAI_BADFLAGS and also \"see errno\".",
	 "getent hosts NAME; hints that are zeroed."},
	{"rdma_get_cm_event", NULL, "hangs", "nothing happens to an identifier of this channel: the peer "
	 "does not answer, or its request came to another listener.",
	 "verbatim exec --timeout 20 prints each identifier with its state."},
	{"rdma_destroy_id", NULL, "hangs", "an event of the identifier was not acknowledged.",
	 "rdma_ack_cm_event for each event, before."},
	{"rdma_disconnect", NULL, "EINVAL", "the identifier is not connected, or its connection has ended.",
	 "The events that came."},
	{NULL, NULL, NULL, NULL, NULL},
};
