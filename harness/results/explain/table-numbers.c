/* SPDX-License-Identifier: BSD-2-Clause */
#include "explain/table.h"

#include <stddef.h>

/* Reasons of a rejection: the status of RDMA_CM_EVENT_REJECTED on InfiniBand and RoCE. */
const struct explained_number explain_reject[] = {
	{1, {"no queue pair", "The peer has no queue pair for it.", "Its program ended meanwhile.", "The peer's log."}},
	{3, {"no resources", "The peer has no room for the connection.", "Limits of the peer's device or program.",
	     "The peer's log."}},
	{4, {"timeout", "The peer gave up, or this side did not answer in time.",
	     "A program that does not take its events.", "What the program does between two events."}},
	{5, {"unsupported", "The peer does not know the request.", "Another version or transport.", "The peer."}},
	{6, {"invalid communication id", "The peer does not know the connection.", "It ended the attempt.",
	     "The peer's log."}},
	{8, {"invalid service id", "Nobody listens at that port.",
	     "The listener is not there yet, has another port or port space, or is bound to another address.",
	     "rdma resource show cm_id at the peer."}},
	{9, {"invalid transport type", "The peer's queue pair has another type.", "RC at one end and UC or "
	     "another at the other.", "qp_type at both ends."}},
	{10, {"stale connection", "The peer still has a connection with this queue pair number.",
	      "A program that was killed and started again.", "Try again: the old one ends within seconds."}},
	{12, {"invalid GID", "The peer does not know the GID in the request.", "An address that changed.",
	      "ip addr at both ends."}},
	{24, {"redirect", "Connect to another port of the subnet.", "InfiniBand.", "The event's private data."}},
	{26, {"invalid MTU", "The peer's port has a smaller MTU.", "Ports with different MTUs.",
	      "active_mtu at both ends."}},
	{27, {"insufficient responder resources", "The peer can answer fewer reads and atomics at a time.",
	      "responder_resources or initiator_depth above the peer's device.", "rdma_conn_param at both ends."}},
	{28, {"consumer defined", "The peer's program called rdma_reject(3).",
	      "Its own rules; private data may say which.", "Private data of the event; the peer's log."}},
	{29, {"invalid RNR retry", "The peer refuses rnr_retry_count.", "A value above 7.", "rdma_conn_param."}},
	{0, {NULL, NULL, NULL, NULL}},
};

/* mlx5 says beside a status: "synd 0x15 vend 0x81", "vendor err 129", "syndrom 0x81". */
const struct vendor_number explain_vendor[] = {
	{0x01, IBV_WC_LOC_LEN_ERR}, {0x02, IBV_WC_LOC_QP_OP_ERR}, {0x04, IBV_WC_LOC_PROT_ERR}, {0x05, IBV_WC_WR_FLUSH_ERR},
	{0x06, IBV_WC_MW_BIND_ERR}, {0x10, IBV_WC_BAD_RESP_ERR}, {0x11, IBV_WC_LOC_ACCESS_ERR}, {0x12, IBV_WC_REM_INV_REQ_ERR},
	{0x13, IBV_WC_REM_ACCESS_ERR}, {0x14, IBV_WC_REM_OP_ERR}, {0x15, IBV_WC_RETRY_EXC_ERR}, {0x16, IBV_WC_RNR_RETRY_EXC_ERR},
	{0x22, IBV_WC_REM_ABORT_ERR}, {0x81, IBV_WC_RETRY_EXC_ERR}, {0x88, IBV_WC_REM_ACCESS_ERR}, {0, IBV_WC_SUCCESS},
};
