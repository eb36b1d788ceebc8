/* SPDX-License-Identifier: BSD-2-Clause */
#include <stddef.h>

#include "explain/table.h"

const struct explanation explain_qp_state[] = {
	{"RESET", "The queue pair is new; nothing may be posted.", "ibv_create_qp(3), or a transition back.", NULL},
	{"INIT", "The queue pair has a port and a partition; receives may be posted.",
	 "ibv_modify_qp(3) with pkey_index, port and access flags (or Q_Key).", NULL},
	{"RTR", "Ready to receive: the queue pair knows its peer and answers it.",
	 "ibv_modify_qp(3) with address vector, MTU, peer's number and PSN.", NULL},
	{"RTS", "Ready to send: the working state.",
	 "ibv_modify_qp(3) with time-out, retries and its own PSN.", NULL},
	{"SQD", "The send queue is being drained; no new sends start.",
	 "ibv_modify_qp(3), to change attributes of a running connection.", NULL},
	{"SQE", "The send queue has failed, and the receive queue keeps working (not RC).",
	 "A failed send of UC or UD; rxe goes to ERR instead.", "The failed completion."},
	{"ERR", "All posted requests are flushed; only a transition to RESET leads out.",
	 "A failed request, a disconnect, or a call of the program.",
	 "The first completion that is not WR_FLUSH_ERR."},
	{"UNKNOWN", "The provider does not know the state.", "A queue pair opened by another process.", NULL},
	{NULL},
};

const struct explanation explain_qp_type[] = {
	{"RC", "Reliable, connected: like TCP with message boundaries, plus RDMA and atomics.",
	 "Port space TCP.", NULL},
	{"UC", "Unreliable, connected: sends and RDMA writes that may be lost.",
	 "Programs that need no acknowledgements; address resolution refuses it.", NULL},
	{"UD", "Unreliable datagrams, to any peer; up to one MTU.", "Port space UDP.", NULL},
	{"RAW_PACKET", "Whole Ethernet frames.", "Network cards; rxe has none.", NULL},
	{"XRC_SEND", "The sending half of an extended reliable connection.",
	 "Many processes on one host; address resolution refuses it.", NULL},
	{"XRC_RECV", "The receiving half of an extended reliable connection.",
	 "Many processes on one host; address resolution refuses it.", NULL},
	{"DRIVER", "A type of one vendor.", "Vendor libraries.", NULL},
	{NULL},
};

const struct explanation explain_port_state[] = {
	{"NOP", "Undefined; no existing port reports it.", "Nothing should cause it.", "The provider."},
	{"DOWN", "No link.", "The interface is down or has no carrier.", "ip link."},
	{"INIT", "InfiniBand: the link is up, but the subnet manager has not configured it yet.",
	 "No subnet manager.", "sminfo."},
	{"ARMED", "InfiniBand: configured, soon active.", "The subnet manager at work.", NULL},
	{"ACTIVE", "The port works.", "An interface that is up and has carrier.", NULL},
	{"ACTIVE_DEFER", "InfiniBand: active, but the link is recovering.", "Link faults.",
	 "The cable."},
	{NULL},
};

const struct explanation explain_access[] = {
	{"LOCAL_WRITE", "This side's device may write here: receives, reads, atomics.",
	 "Buffers of receive requests; needed by the remote rights that write.", NULL},
	{"REMOTE_WRITE", "The peer may write here.", "Targets of RDMA writes.", NULL},
	{"REMOTE_READ", "The peer may read here.", "Targets of RDMA reads.", NULL},
	{"REMOTE_ATOMIC", "The peer may add and swap here.", "Targets of atomics.", NULL},
	{"MW_BIND", "Memory windows may be bound here.", "Regions of which peers may use parts.",
	 NULL},
	{"ZERO_BASED", "Addresses count from the start of the region.", "Programs that use offsets as addresses.", NULL},
	{"ON_DEMAND", "Pages are loaded when they are used.",
	 "Regions larger than the limit for locked memory.", NULL},
	{"HUGETLB", "The region lies in huge pages.", "Faster translation.", NULL},
	{"RELAXED_ORDERING", "The device may reorder writes.", "Throughput.", NULL},
	{"FLUSH_GLOBAL", "The peer may ask that its writes here be visible to all.",
	 "Targets of FLUSH; rdma-core since 46.", NULL},
	{"FLUSH_PERSISTENT", "The peer may ask that its writes here survive a loss of power.",
	 "Targets of FLUSH in persistent memory; rdma-core since 46.", NULL},
	{NULL},
};

const struct explanation explain_atomic_cap[] = {
	{"NONE", "No atomics.", "Devices without them.", NULL},
	{"HCA", "Atomic among operations of this device.", "Most devices, rxe too.", NULL},
	{"GLOB", "Atomic with processor and other devices too.", "Hardware that can do it.", NULL},
	{NULL},
};

const struct explanation explain_link_layer[] = {
	{"UNSPECIFIED", "Not reported by an old kernel; it means InfiniBand.", "Old kernels.", NULL},
	{"INFINIBAND", "InfiniBand.", "InfiniBand hardware.", NULL},
	{"ETHERNET", "Ethernet: RoCE, or iWARP.", "rxe, RoCE hardware.", NULL},
	{NULL},
};

#define RD_CAUSE "Reliable datagrams, which no current device implements."
#define RD_CHECK "The provider, which should never report this."

const struct explanation explain_wc_status[] = {
	{"SUCCESS", "The request was executed.", "For RC: the peer acknowledged it.", NULL},
	{"LOC_LEN_ERR", "A message did not fit into the buffers of this side.",
	 "A receive buffer shorter than the message, or a message above the port's maximum.",
	 "Compare the lengths of the receive request and of the send."},
	{"LOC_QP_OP_ERR", "The request is not consistent with its queue pair.",
	 "An operation or size that the queue pair was not made for; rxe reports it for several "
	 "local faults.", "Type, sizes and state of the queue pair."},
	{"LOC_EEC_OP_ERR", "Inconsistent with its end-to-end context.", RD_CAUSE, RD_CHECK},
	{"LOC_PROT_ERR", "A local buffer does not match its key.",
	 "A wrong lkey, a region of another protection domain, or a range beyond the region.",
	 "lkey, address and length of each scatter/gather entry."},
	{"WR_FLUSH_ERR", "The request was not executed: the queue pair went to the error state first.",
	 "An earlier request that failed, the peer's disconnect, or the caller's own "
	 "transition to ERR.",
	 "The first completion with another status: that is the cause."},
	{"MW_BIND_ERR", "Binding a memory window failed.",
	 "Rights that the region does not give, or a window of another domain.",
	 "Access flags of region and window."},
	{"BAD_RESP_ERR", "The peer's response is not valid.",
	 "An opcode or length that does not belong to the request.",
	 "A capture of the packets; versions of both sides."},
	{"LOC_ACCESS_ERR", "The peer's data came for memory that it may not access.",
	 "An RDMA write with immediate data to a region without that right.",
	 "Access flags of the local region."},
	{"REM_INV_REQ_ERR", "The peer refused the request as invalid.",
	 "A message longer than its receive buffer, or an operation that its queue pair does not "
	 "allow.", "Receive length and access flags at the peer."},
	{"REM_ACCESS_ERR", "The peer does not allow this access to its memory.",
	 "A wrong rkey, a range beyond the region, a region or queue pair without that right, "
	 "another protection domain, or a region that is deregistered.",
	 "Compare rkey, address and length with the region at the peer, then check its access flags."},
	{"REM_OP_ERR", "The peer could not execute the request.",
	 "A fault on its side; rxe reports it in cases where others report REM_INV_REQ_ERR.",
	 "The peer's own completions."},
	{"RETRY_EXC_ERR", "The peer never acknowledged, and all retries are used up.",
	 "The peer is gone or not in RTR, a wrong QP number, PSN, GID or MTU, or a network "
	 "that loses everything.",
	 "State of the peer's queue pair, both address vectors, UDP port 4791; timeout and "
	 "retry_cnt. On rxe it never comes with retry_cnt 7, because rxe then retries without end."},
	{"RNR_RETRY_EXC_ERR", "The peer had no receive request, and all RNR retries are used up.",
	 "The receiver posts too few requests, or posts them too late.",
	 "Receives posted at the peer; rnr_retry 7 waits without end, min_rnr_timer is the pause."},
	{"LOC_RDD_VIOL_ERR", "The RD domain does not fit.", RD_CAUSE, RD_CHECK},
	{"REM_INV_RD_REQ_ERR", "The peer calls a reliable datagram invalid.", RD_CAUSE, RD_CHECK},
	{"REM_ABORT_ERR", "The peer gave the operation up.",
	 "Its queue pair failed with the request half done.", "The peer's completions."},
	{"INV_EECN_ERR", "No such end-to-end context.", RD_CAUSE, RD_CHECK},
	{"INV_EEC_STATE_ERR", "The end-to-end context is in the wrong state.", RD_CAUSE, RD_CHECK},
	{"FATAL_ERR", "The device is in a state it cannot leave.",
	 "Broken hardware or firmware.", "dmesg; asynchronous events of the device."},
	{"RESP_TIMEOUT_ERR", "No response in time.", "A peer that hangs.", "The peer."},
	{"GENERAL_ERR", "A fault that has no status of its own.", "The provider.", "dmesg."},
	{NULL},
};

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
