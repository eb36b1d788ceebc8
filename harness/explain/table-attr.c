/* SPDX-License-Identifier: BSD-2-Clause */
#include "explain/table.h"

#include <stddef.h>

#define MASK_CHECK "vbm_qp_check(3) says which bits a transition needs and which values cannot be."

/* The bits of ibv_modify_qp(3), with what the values of their attributes mean. */
const struct explanation explain_qp_attr_mask[] = {
	{"STATE", "The state to go to.", "qp_state; without the bit the queue pair stays where it is.",
	 MASK_CHECK},
	{"CUR_STATE", "The state that the queue pair is taken to be in.", "cur_qp_state.", NULL},
	{"EN_SQD_ASYNC_NOTIFY", "Whether a drained send queue makes an event.",
	 "en_sqd_async_notify, on the way to SQD.", NULL},
	{"ACCESS_FLAGS", "What the peer may do.", "qp_access_flags: rights to write, read, add and flush.",
	 "The rights of the region count as well."},
	{"PKEY_INDEX", "The partition, as an index of the port's table.", "pkey_index; on RoCE 0.",
	 "pkey_tbl_len of ibv_query_port."},
	{"PORT", "The port.", "port_num; ports count from 1.", "phys_port_cnt of ibv_query_device."},
	{"QKEY", "The key of datagrams; only UD has it.", "qkey; with the highest bit it is for root.", NULL},
	{"AV", "Where the peer is.",
	 "ah_attr. RoCE needs a GRH: is_global 1, the peer's GID, and the index of an own GID of the "
	 "same family.",
	 "ibv_query_gid of sgid_index; vbm_find_gid(3)."},
	{"PATH_MTU", "The most bytes of a packet.",
	 "path_mtu, a code: 1 to 5 for 256 to 4096 bytes, so 3 and not 1024.",
	 "active_mtu of ibv_query_port, at both ends."},
	{"TIMEOUT", "How long an acknowledgement is waited for.",
	 "timeout, a code: 4.096 us times two to the power of it, at least; 14 is 67 ms, 31 more than "
	 "two hours, and 0 is for ever.",
	 "With 0 a request whose peer is gone never completes."},
	{"RETRY_CNT", "How often a request is sent again that nobody acknowledges.",
	 "retry_cnt, 0 to 7. Then it ends in RETRY_EXC_ERR.",
	 "On rxe 7 is for ever, and a request whose peer is gone never completes: take 6."},
	{"RNR_RETRY", "How often a message is sent again that finds no receive request.",
	 "rnr_retry, 0 to 6; 7 is for ever. Then it ends in RNR_RETRY_EXC_ERR.",
	 "The pause between two is the peer's min_rnr_timer."},
	{"RQ_PSN", "The first packet number that is expected.", "rq_psn, 24 bits: the peer's sq_psn.", NULL},
	{"MAX_QP_RD_ATOMIC", "How many reads and atomics are under way at a time.",
	 "max_rd_atomic: at most the peer's max_dest_rd_atomic.", "max_qp_init_rd_atom of ibv_query_device."},
	{"ALT_PATH", "The alternate path.", "alt_ah_attr and its kin; rxe has none.", NULL},
	{"MIN_RNR_TIMER", "How long a peer is to wait that found no receive request.",
	 "min_rnr_timer, a code: 1 is 10 us, 12 is 640 us, 31 is 492 ms, and 0 is the longest, 655 ms.",
	 NULL},
	{"SQ_PSN", "The first packet number that is sent.", "sq_psn, 24 bits: the peer's rq_psn.", NULL},
	{"MAX_DEST_RD_ATOMIC", "How many reads and atomics of the peer are answered at a time.",
	 "max_dest_rd_atomic; with 0 each is an invalid request.", "max_qp_rd_atom of ibv_query_device."},
	{"PATH_MIG_STATE", "Whether the alternate path is armed.", "path_mig_state; rxe has none.", NULL},
	{"CAP", "The sizes of the queues.", "cap, on devices that can resize a queue pair.",
	 "IBV_DEVICE_RESIZE_MAX_WR among the capabilities."},
	{"DEST_QPN", "The number of the peer's queue pair.", "dest_qp_num, 24 bits.", NULL},
	{"RATE_LIMIT", "A limit of the rate, of a raw queue pair.", "rate_limit; rxe has none.", NULL},
	{NULL},
};
