/* SPDX-License-Identifier: BSD-2-Clause */
#include "explain/table.h"

#include <stddef.h>

#define SM_CAUSE "A subnet manager's doing: InfiniBand only, never RoCE."
#define SM_CHECK "What was learned of the port before: query it again."

const struct explanation explain_async_event[] = {
	{"CQ_ERR", "A completion queue is in error, and what it should have told is lost.",
	 "More completions than it has entries: it is too small for the requests of all its queue "
	 "pairs, or nobody polls.",
	 "cqe against the sum of max_send_wr and max_recv_wr. Queue and queue pairs have to be "
	 "made again."},
	{"QP_FATAL", "A queue pair failed in a way that no completion can tell.",
	 "A fault of the device, or a completion queue in error.", "dmesg; other events."},
	{"QP_REQ_ERR", "The peer sent a request that is no valid one; this queue pair refused it.",
	 "An operation that qp_access_flags does not have, more RDMA reads than "
	 "max_dest_rd_atomic, or packets out of order.",
	 "The peer's completion is IBV_WC_REM_INV_REQ_ERR. rxe goes to ERR without this event."},
	{"QP_ACCESS_ERR", "The peer wanted memory that it may not have; this queue pair refused it.",
	 "A wrong rkey, a range beyond the region, a region without that right.",
	 "The peer's completion is IBV_WC_REM_ACCESS_ERR. rxe has the event in late kernels only."},
	{"COMM_EST", "The first packet came for a queue pair in RTR.",
	 "The peer is in RTS already and sends.", NULL},
	{"SQ_DRAINED", "Nothing of the send queue is outstanding any more.",
	 "A transition to SQD with en_sqd_async_notify.", NULL},
	{"PATH_MIG", "The connection goes by its alternate path now.",
	 "The first path failed, or the peer moved.", "The port of the first path."},
	{"PATH_MIG_ERR", "The connection could not be moved to its alternate path.",
	 "None was loaded, or it does not lead anywhere.", "alt_ah_attr and path_mig_state."},
	{"DEVICE_FATAL", "The device is of no use any more.",
	 "It failed or was removed (rdma link delete, rmmod, a virtual function taken away).",
	 "dmesg; rdma link show. Close it: calls that need the kernel fail from now on."},
	{"PORT_ACTIVE", "The link of a port came up.", "A cable, a switch, ip link set up.", NULL},
	{"PORT_ERR", "The link of a port went down.", "A cable, a switch, ip link set down.",
	 "ip link show; query_port. Connections run out of retries meanwhile."},
	{"LID_CHANGE", "The port has another LID.", SM_CAUSE, SM_CHECK},
	{"PKEY_CHANGE", "The port's partition table changed.", SM_CAUSE, SM_CHECK},
	{"SM_CHANGE", "Another subnet manager rules.", SM_CAUSE, SM_CHECK},
	{"SRQ_ERR", "A shared receive queue failed.", "A fault of the device.",
	 "dmesg; the queue and its queue pairs have to be made again."},
	{"SRQ_LIMIT_REACHED", "A shared receive queue has fewer requests than its limit.",
	 "Messages came faster than requests were posted.",
	 "Post more and arm the limit again (ibv_modify_srq): it fires once."},
	{"QP_LAST_WQE_REACHED",
	 "A queue pair in ERR takes no more of its shared receive queue: it can be destroyed.",
	 "It went to the error state.", NULL},
	{"CLIENT_REREGISTER", "Subscriptions with the subnet manager have to be made again.",
	 SM_CAUSE, SM_CHECK},
	{"GID_CHANGE", "The port's GID table changed.",
	 "An address of the interface came or went; IPv6 addresses go when it goes down.",
	 "The GID index of everything that is to be connected: look it up again."},
	{"WQ_FATAL", "A work queue of ibv_create_wq(3) failed.", "A fault of the device.", "dmesg."},
	{NULL},
};
