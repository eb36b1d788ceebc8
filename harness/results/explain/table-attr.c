/* SPDX-License-Identifier: BSD-2-Clause */
#include "explain/table.h"

#include <stddef.h>

#define MASK_CHECK "vbm_qp_check(3) says which bits a transition needs and which values are not valid."

/* The bits of ibv_modify_qp(3), and the meaning of their attributes' values. */
const struct explanation explain_qp_attr_mask[] = {
	{"STATE", "The new state.", "qp_state; without the bit the state does not change.",
	 MASK_CHECK},
	{"CUR_STATE", "The state that the call assumes.", "cur_qp_state.", NULL},
	{"EN_SQD_ASYNC_NOTIFY", "Whether a drained send queue makes an event.",
	 "en_sqd_async_notify, in a transition to SQD.", NULL},
	{"ACCESS_FLAGS", "What the peer may do.", "qp_access_flags: rights to write, read, add and flush.",
	 "The rights of the region count as well."},
	{"PKEY_INDEX", "The partition, as an index into the port's table.", "pkey_index; on RoCE 0.",
	 "pkey_tbl_len of ibv_query_port."},
	{"PORT", "The port.", "port_num; ports count from 1.", "phys_port_cnt of ibv_query_device."},
	{"QKEY", "The key of datagrams; only UD has it.", "qkey; only root may set its highest bit.", NULL},
	{"AV", "The address of the peer.",
	 "ah_attr. RoCE needs a GRH: is_global 1, the peer's GID, and the index of a local GID of the "
	 "same family.",
	 "ibv_query_gid of sgid_index; vbm_find_gid(3)."},
	{"PATH_MTU", "The largest payload of a packet in bytes.",
	 "path_mtu, a code: 1 to 5 mean 256 to 4096 bytes, so write 3 and not 1024.",
	 "active_mtu of ibv_query_port, at both ends."},
	{"TIMEOUT", "How long the requester waits for an acknowledgement.",
	 "timeout, a code: N means at least 4.096 us * 2^N; 14 is 67 ms, 31 is more than "
	 "two hours, and 0 is without end.",
	 "With 0 a request whose peer is gone never completes."},
	{"RETRY_CNT", "How often an unacknowledged request is sent again.",
	 "retry_cnt, 0 to 7. Then it ends in RETRY_EXC_ERR.",
	 "On rxe 7 is without end, and a request whose peer is gone never completes: use 6."},
	{"RNR_RETRY", "How often a message without a receive request is sent again.",
	 "rnr_retry, 0 to 6; 7 is without end. Then it ends in RNR_RETRY_EXC_ERR.",
	 "The pause between two tries is the peer's min_rnr_timer."},
	{"RQ_PSN", "The first packet number that is expected.", "rq_psn, 24 bits: the peer's sq_psn.", NULL},
	{"MAX_QP_RD_ATOMIC", "How many reads and atomics may be outstanding at the same time.",
	 "max_rd_atomic: at most the peer's max_dest_rd_atomic.", "max_qp_init_rd_atom of ibv_query_device."},
	{"ALT_PATH", "The alternate path.", "alt_ah_attr and the related members; rxe has none.", NULL},
	{"MIN_RNR_TIMER", "How long a peer must wait after it found no receive request.",
	 "min_rnr_timer, a code: 1 is 10 us, 12 is 640 us, 31 is 492 ms, and 0 is the longest, 655 ms.",
	 NULL},
	{"SQ_PSN", "The first packet number that is sent.", "sq_psn, 24 bits: the peer's rq_psn.", NULL},
	{"MAX_DEST_RD_ATOMIC", "How many reads and atomics of the peer are answered at the same time.",
	 "max_dest_rd_atomic; with 0 each of them is an invalid request.", "max_qp_rd_atom of ibv_query_device."},
	{"PATH_MIG_STATE", "Whether the alternate path is armed.", "path_mig_state; rxe has none.", NULL},
	{"CAP", "The sizes of the queues.", "cap, on devices that can resize a queue pair.",
	 "IBV_DEVICE_RESIZE_MAX_WR among the capabilities."},
	{"DEST_QPN", "The number of the peer's queue pair.", "dest_qp_num, 24 bits.", NULL},
	{"RATE_LIMIT", "A rate limit for a raw queue pair.", "rate_limit; rxe has none.", NULL},
	{NULL},
};
