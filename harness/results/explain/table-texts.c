/* SPDX-License-Identifier: BSD-2-Clause */
#include "explain/table.h"

#include <stddef.h>

/* What programs print; the patterns are those of fnmatch(3), without regard to case. */
const struct program_text explain_text_of[] = {
	/* ibv_rc_pingpong, perftest, Sherman, Mooncake, uccl and others. */
	{"*modify*qp*rtr*", "ibv_modify_qp", "RTR"},
	{"*qp*to rtr*", "ibv_modify_qp", "RTR"},
	{"*unable to connect the hca*", "ibv_modify_qp", "RTR"},
	{"*modify*qp*rts*", "ibv_modify_qp", "RTS"},
	{"*modify*qp*init*", "ibv_modify_qp", "INIT"},
	{"*create*qp*", "ibv_create_qp", NULL},
	{"*create*cq*", "ibv_create_cq", NULL},
	{"*create*ah*", "ibv_create_ah", NULL},
	{"*register*mr*", "ibv_reg_mr", NULL},
	{"*allocate mr*", "ibv_reg_mr", NULL},
	{"*regist*memory*", "ibv_reg_mr", NULL},
	{"*max locked memory*", "ibv_reg_mr", NULL},
	{"*no ib devices*", "ibv_get_device_list", NULL},
	{"*no rdma device*", "ibv_get_device_list", NULL},
	{"*ib device*not found*", "ibv_get_device_list", NULL},
	{"*find the infiniband/roce device*", "ibv_get_device_list", NULL},
	{"*get context for*", "ibv_open_device", NULL},
	{"*post send*", "ibv_post_send", NULL},
	{"*post receive*", "ibv_post_recv", NULL},
	{"*post recv*", "ibv_post_recv", NULL},
	/* UCX */
	{"*transport retry count exceeded*", "IBV_WC_RETRY_EXC_ERR", NULL},
	{"*receiver-not-ready retry count exceeded*", "IBV_WC_RNR_RETRY_EXC_ERR", NULL},
	{"*remote access on *", "IBV_WC_REM_ACCESS_ERR", NULL},
	{"*local protection on *", "IBV_WC_LOC_PROT_ERR", NULL},
	{"*no active messages transport*", "no transport", NULL},
	{"*no remote ep address*", "no transport", NULL},
	{"*destination is unreachable*", "no transport", NULL},
	/* The TCP connection beside that of RDMA: pingpongs, perftest. */
	{"*couldn't connect to *:*", "no other end", NULL},
	{"*couldn't read*remote address*", "no other end", NULL},
	{"*unable to init the socket connection*", "no other end", NULL},
	/* Reports of verbatim. */
	{"*no completion within*", "wait ran out", NULL},
	{"*no event within*", "wait ran out", NULL},
	{"*no rdma packet crossed the cable*", "no packet", NULL},
	{NULL, NULL, NULL},
};

const struct explanation explain_message[] = {
	{"no transport", "UCX has found no transport that both ends can use.",
	 "UCX_TLS or UCX_NET_DEVICES leave no device, the GID index is that of another IP family, or a "
	 "variable was set on one host only.",
	 "ucx_info -d; UCX_IB_GID_INDEX; docs/recipes.md. ssh on a host hands on only the variables of "
	 "the calling command that VERBATIM_SEND_ENV names."},
	{"no other end", "The programs did not meet: before RDMA begins, they exchange numbers over TCP.",
	 "The server does not listen yet, has ended, or has another address or port.",
	 "The server's own output; --ready and --ready-line of verbatim exec."},
	{"wait ran out", "A step waited for something that did not come before its deadline.",
	 "The peer did not do its part, the request has to be repeated without end (rnr_retry 7, retry_cnt 7 on "
	 "rxe), or the kernel lost it.",
	 "What the report says of the other hosts' last steps; the counters (verbatim explain rcvd_rnr_err, "
	 "completer_retry_err)."},
	{"no packet", "The commands ended without one packet of RDMA between the hosts.",
	 "The program used TCP or shared memory, both ends ran on one host, or it ended early.",
	 "The program's own choice of transport: UCX_TLS, FI_PROVIDER, --mca pml ucx."},
	{NULL, NULL, NULL, NULL},
};
