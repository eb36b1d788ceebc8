/* SPDX-License-Identifier: BSD-2-Clause */
#include "explain/table.h"

#include <stddef.h>

#define SM_CAUSE "A subnet manager did it; only on InfiniBand, never on RoCE."
#define SM_CHECK "The stored attributes of the port: query them again."

const struct explanation explain_async_event[] = {
	{"CQ_ERR", "A completion queue is in error, and completions are lost.",
	 "More completions than it has entries: it is too small for the requests of all its queue "
	 "pairs, or nobody polls.",
	 "Compare cqe with the sum of max_send_wr and max_recv_wr. Queue and queue pairs must be "
	 "made again."},
	{"QP_FATAL", "A queue pair failed in a way that no completion can report.",
	 "A fault of the device, or a completion queue in error.", "dmesg; other events."},
	{"QP_REQ_ERR", "The peer sent an invalid request; this queue pair refused it.",
	 "An operation that qp_access_flags does not allow, more RDMA reads than "
	 "max_dest_rd_atomic, or packets out of order.",
	 "The peer's completion is IBV_WC_REM_INV_REQ_ERR. rxe goes to ERR without this event."},
	{"QP_ACCESS_ERR", "The peer tried a forbidden access to memory; this queue pair refused it.",
	 "A wrong rkey, a range beyond the region, a region without that right.",
	 "The peer's completion is IBV_WC_REM_ACCESS_ERR. rxe makes the event only in newer kernels."},
	{"COMM_EST", "The first packet came for a queue pair in RTR.",
	 "The peer is in RTS already and sends.", NULL},
	{"SQ_DRAINED", "All started requests of the send queue have completed.",
	 "A transition to SQD with en_sqd_async_notify.", NULL},
	{"PATH_MIG", "The connection goes by its alternate path now.",
	 "The first path failed, or the peer moved.", "The port of the first path."},
	{"PATH_MIG_ERR", "The connection could not be moved to its alternate path.",
	 "No alternate path was loaded, or it leads nowhere.", "alt_ah_attr and path_mig_state."},
	{"DEVICE_FATAL", "The device can no longer be used.",
	 "It failed or was removed (rdma link delete, rmmod, a virtual function that was removed).",
	 "dmesg; rdma link show. Close it: calls that need the kernel fail from now on."},
	{"PORT_ACTIVE", "The link of a port came up.", "A cable, a switch, ip link set up.", NULL},
	{"PORT_ERR", "The link of a port went down.", "A cable, a switch, ip link set down.",
	 "ip link show; query_port. Meanwhile, connections run out of retries."},
	{"LID_CHANGE", "The port has another LID.", SM_CAUSE, SM_CHECK},
	{"PKEY_CHANGE", "The port's partition table changed.", SM_CAUSE, SM_CHECK},
	{"SM_CHANGE", "Another subnet manager is in charge.", SM_CAUSE, SM_CHECK},
	{"SRQ_ERR", "A shared receive queue failed.", "A fault of the device.",
	 "dmesg; the queue and its queue pairs must be made again."},
	{"SRQ_LIMIT_REACHED", "A shared receive queue has fewer requests than its limit.",
	 "Messages came faster than requests were posted.",
	 "Post more and arm the limit again (ibv_modify_srq): it makes one event only."},
	{"QP_LAST_WQE_REACHED",
	 "A queue pair in ERR takes no more requests from its shared receive queue, so it can be destroyed.",
	 "It went to the error state.", NULL},
	{"CLIENT_REREGISTER", "Subscriptions with the subnet manager must be made again.",
	 SM_CAUSE, SM_CHECK},
	{"GID_CHANGE", "The port's GID table changed.",
	 "An address of the interface was added or removed; IPv6 addresses go when it goes down.",
	 "Look up the GID index again before the next connection."},
	{"WQ_FATAL", "A work queue of ibv_create_wq(3) failed.", "A fault of the device.", "dmesg."},
	{NULL},
};
