/* SPDX-License-Identifier: BSD-2-Clause */
#include "explain/table.h"

#include <stddef.h>

const struct explanation explain_qp_state[] = {
	{"RESET", "Just made; nothing may be posted.", "ibv_create_qp(3), or a move back.", NULL},
	{"INIT", "Has a port and a partition; receives may be posted.",
	 "ibv_modify_qp(3) with pkey_index, port and access flags (or Q_Key).", NULL},
	{"RTR", "Ready to receive: knows its peer, answers it.",
	 "ibv_modify_qp(3) with address vector, MTU, peer's number and PSN.", NULL},
	{"RTS", "Ready to send: the working state.",
	 "ibv_modify_qp(3) with time-out, retries and its own PSN.", NULL},
	{"SQD", "The send queue is being drained; no new sends start.",
	 "ibv_modify_qp(3), to change attributes of a running connection.", NULL},
	{"SQE", "The send queue has failed, the receive queue works on (not RC).",
	 "A failed send of UC or UD; rxe goes to ERR instead.", "The failed completion."},
	{"ERR", "Everything posted is flushed; only RESET leads out.",
	 "A failed request, a disconnect, or the caller's own wish.",
	 "The first completion that is not WR_FLUSH_ERR."},
	{"UNKNOWN", "The provider cannot tell.", "A queue pair opened by another process.", NULL},
	{NULL},
};

const struct explanation explain_qp_type[] = {
	{"RC", "Reliable, connected: like TCP with message boundaries, plus RDMA and atomics.",
	 "Port space TCP.", NULL},
	{"UC", "Unreliable, connected: sends and RDMA writes that may be lost.",
	 "Programs that do without acknowledgements; address resolution refuses it.", NULL},
	{"UD", "Unreliable datagrams, to any peer; up to one MTU.", "Port space UDP.", NULL},
	{"RAW_PACKET", "Whole Ethernet frames.", "Network cards; rxe has none.", NULL},
	{"XRC_SEND", "The sending half of an extended reliable connection.",
	 "Many processes on one host; address resolution refuses it.", NULL},
	{"XRC_RECV", "The receiving half of an extended reliable connection.",
	 "Many processes on one host; address resolution refuses it.", NULL},
	{"DRIVER", "A type of the vendor's own.", "Vendor libraries.", NULL},
	{NULL},
};

const struct explanation explain_port_state[] = {
	{"NOP", "Undefined; no existing port says it.", "Nothing should.", "The provider."},
	{"DOWN", "No link.", "The interface is down or has no carrier.", "ip link."},
	{"INIT", "InfiniBand: the link is up, the subnet manager has not come yet.",
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
	{"MW_BIND", "Memory windows may be bound here.", "Regions that are opened in parts.",
	 NULL},
	{"ZERO_BASED", "Addresses count from the region's begin.", "Offsets for addresses.", NULL},
	{"ON_DEMAND", "Pages are brought in when they are touched.",
	 "Regions larger than may be locked.", NULL},
	{"HUGETLB", "The region lies in huge pages.", "Faster translation.", NULL},
	{"RELAXED_ORDERING", "The device may reorder writes.", "Throughput.", NULL},
	{NULL},
};

const struct explanation explain_atomic_cap[] = {
	{"NONE", "No atomics.", "Devices without them.", NULL},
	{"HCA", "Atomic among operations of this device.", "Most devices, rxe too.", NULL},
	{"GLOB", "Atomic with processor and other devices too.", "Hardware that can.", NULL},
	{NULL},
};

const struct explanation explain_link_layer[] = {
	{"UNSPECIFIED", "Not said: an old kernel; InfiniBand is meant.", "Old kernels.", NULL},
	{"INFINIBAND", "InfiniBand.", "InfiniBand hardware.", NULL},
	{"ETHERNET", "Ethernet: RoCE, or iWARP.", "rxe, RoCE hardware.", NULL},
	{NULL},
};
