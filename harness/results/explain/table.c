/* SPDX-License-Identifier: BSD-2-Clause */
#include "explain/table.h"

#include <stddef.h>
#include <string.h>

/* Texts that programs print; fnmatch(3) has the patterns, and case does not count. */
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

#define LOSS "Loss on the way (ip -s link, tc qdisc), or a peer that is too slow."

/* The counters of rxe: rdma statistic show, the reports of exec, and counters.tsv. */
const struct explanation explain_counter[] = {
	{"sent_pkts", "Packets that this device sent, acknowledgements included.", "Each message.", NULL},
	{"rcvd_pkts", "Packets that this device received.", "Each message.", NULL},
	{"sent_bytes", "Bytes that this device sent; since Linux 7.", "Each message.", NULL},
	{"rcvd_bytes", "Bytes that this device received; since Linux 7.", "Each message.", NULL},
	{"rdma_sends", "Requests that this device sent and that were acknowledged.", "Each request.", NULL},
	{"rdma_recvs", "Messages that this device received.", "Each message to a receive request.", NULL},
	{"duplicate_request", "Requests of the peer that came once more.",
	 "The peer heard no acknowledgement in time and sent the request again.", LOSS},
	{"out_of_seq_request", "Requests of the peer that came too early: one before them is missing.",
	 "A lost packet of the peer, or a wrong first PSN (rq_psn).", LOSS},
	{"rcvd_seq_err", "Times that the peer said that a packet of this device is missing.",
	 "A lost packet of this device.", LOSS},
	{"rcvd_rnr_err", "Times that the peer had no receive request for a message of this device.",
	 "The peer posts too few receive requests, or too late.",
	 "Receive requests at the peer; with rnr_retry 7 this goes on without end."},
	{"send_rnr_err", "Times that this device had no receive request for a message of the peer.",
	 "This program posts too few receive requests, or too late.",
	 "ibv_post_recv of this program; with rnr_retry 7 at the peer this goes on without end."},
	{"retry_rnr_exceeded_err", "Requests given up because the peer never had a receive request.",
	 "The completion has the status RNR_RETRY_EXC_ERR.", "verbatim explain RNR_RETRY_EXC_ERR."},
	{"completer_retry_err", "Times that a request was sent again because no acknowledgement came.",
	 "The peer's queue pair is gone or not in RTR, its number or PSN is wrong, or packets are lost.",
	 "State of the peer's queue pair; with retry_cnt 7 rxe goes on without end."},
	{"retry_exceeded_err", "Requests given up because no acknowledgement came.",
	 "The completion has the status RETRY_EXC_ERR.", "verbatim explain RETRY_EXC_ERR."},
	{"ack_deferred", "Answers that were handled later than they came.", "Many answers at once; normal.", NULL},
	{"send_err", "Packets that the network refused to take.",
	 "No route or no neighbour any more, an interface that is down, or a full queue.",
	 "ip route get PEER; ip neigh; ip -s link."},
	{"link_downed", "Times that the link went down.", "ip link set down, or a pulled cable.", "ip link."},
	{NULL, NULL, NULL, NULL},
};

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

const struct explained_set explained_sets[] = {
	{&const_return, "result of address resolution", explain_return,
	 "rdma_getaddrinfo(3) / RETURN VALUE"},
	{&const_errno, "errno value", explain_errno, NULL},
	{&const_wc_status, "status of a work completion", explain_wc_status, NULL},
	{&const_cm_event, "event of rdma_cm", explain_cm_event,
	 "rdma_get_cm_event(3) / EVENT TYPES"},
	{&const_qp_state, "state of a queue pair", explain_qp_state, NULL},
	{&const_qp_type, "type of a queue pair", explain_qp_type, "ibv_create_qp(3) / DESCRIPTION"},
	{&const_port_space, "port space of rdma_cm", explain_port_space,
	 "rdma_create_id(3) / PORT SPACE"},
	{&const_port_state, "state of a port", explain_port_state, NULL},
	{&const_rai_flags, "flag of address resolution", explain_rai_flags,
	 "rdma_getaddrinfo(3) / rdma_addrinfo"},
	{&const_family, "address family", explain_family, NULL},
	{&const_access, "access right of a memory region or queue pair", explain_access,
	 "ibv_reg_mr(3) / DESCRIPTION"},
	{&const_atomic_cap, "level of atomic support", explain_atomic_cap, NULL},
	{&const_link_layer, "link layer of a port", explain_link_layer,
	 "ibv_query_port(3) / DESCRIPTION"},
	{&const_qp_attr_mask, "bit of the mask of ibv_modify_qp(3)", explain_qp_attr_mask,
	 "ibv_modify_qp(3) / DESCRIPTION"},
	{&const_mtu, "path MTU in bytes", NULL, NULL},
	{&const_wr_opcode, "operation of a work request", NULL, "ibv_post_send(3) / DESCRIPTION"},
	{&const_send_flags, "flag of a work request", NULL, "ibv_post_send(3) / DESCRIPTION"},
	{&const_wc_opcode, "operation of a completed work request", NULL, NULL},
	{&const_wc_flags, "flag of a work completion", NULL, "ibv_poll_cq(3) / DESCRIPTION"},
	{&const_packet_opcode, "operation of a packet", NULL, NULL},
	{&const_aeth_kind, "kind of an acknowledgement", NULL, NULL},
	{&const_nak_code, "why an acknowledgement refuses a request", NULL, NULL},
	{&const_async_event, "asynchronous event of a device", explain_async_event,
	 "ibv_get_async_event(3) / DESCRIPTION"},
	{&const_mw_type, "type of a memory window", NULL, "ibv_alloc_mw(3) / DESCRIPTION"},
	{&const_srq_attr_mask, "bit of the mask of ibv_modify_srq(3)", NULL,
	 "ibv_modify_srq(3) / DESCRIPTION"},
	{&const_rereg, "attribute that ibv_rereg_mr(3) changes", NULL, "ibv_rereg_mr(3) / DESCRIPTION"},
	{&const_advice, "advice of ibv_advise_mr(3)", NULL, "ibv_advise_mr(3) / DESCRIPTION"},
	{&const_advise_flag, "flags of ibv_advise_mr(3)", NULL, "ibv_advise_mr(3) / ARGUMENTS"},
	{&const_rereg_error, "result of ibv_rereg_mr(3)", NULL, "ibv_rereg_mr(3) / RETURN VALUE"},
	{&const_flush_type, "type of a flush", NULL, "ibv_wr_post(3) / WORK REQUESTS"},
	{&const_flush_level, "level of a flush", NULL, "ibv_wr_post(3) / WORK REQUESTS"},
	{&const_send_ops, "operation that a queue pair is made for", NULL,
	 "ibv_create_qp_ex(3) / DESCRIPTION"},
	{NULL, NULL, NULL, NULL},
};

const struct explanation explain_verdict[] = {
	{"PASS", "Everything that the scenario expects held.", "A target that works as its page says.",
	 NULL},
	{"FAIL", "Something that the scenario expects did not hold.",
	 "The target, or a scenario that expects too much.",
	 "The report's file and line, the expected and the actual value; then the clause "
	 "(verbatim explain CLAUSE). 'no ... within 10 s' means that the step waited without success."},
	{"XFAIL", "It failed in the way that a known finding describes.",
	 "A finding of its suite that applies to this target, kernel and layout.", NULL},
	{"XPASS", "It passed although a known finding says that it fails.",
	 "The target was fixed, or the conditions of the finding are too general.",
	 "Remove the finding, or narrow its 'when:'."},
	{"SKIP", "It did not run: something that it requires is missing here.",
	 "A kernel, layout or target without a capability of 'requires:'.",
	 "The reason in the report. Skipped does not mean passed: verbatim coverage --from counts it "
	 "as missing."},
	{"INVALID", "The harness could not observe the scenario, so there is no judgement.",
	 "A runner that died, or an event stream that was cut or garbled.",
	 "The console and kernel messages (--output DIR)."},
	{"ERROR", "The code under test crashed or hung, or the kernel complained.",
	 "A segmentation fault, a call that never returned, a warning or oops of the kernel. "
	 "If a scenario says 'death:', a crash is a PASS or a FAIL.",
	 "log-HOST.txt and kernel.txt of the scenario's folder (--output DIR)."},
	{NULL},
};

const struct explanation explain_word[] = {
	{"answer", "The result of a step, or whether there was one.",
	 "'expected an answer in time' belongs to a wait that ran out; 'expected nothing' to a step "
	 "that must not get an answer.",
	 "'last on HOST', which shows what the other side did meanwhile."},
	{"nothing", "'expect: nothing': no answer may come during the time of 'within:'.",
	 "An event, a completion or an answer that the specification rules out here.",
	 "The answer, which the report shows; a time that is too short proves little."},
	{"death", "How the process that made the call ended: 'death: SEGV' expects that signal, "
	 "'death: none' that it lives.",
	 "The call crashed (got SIGSEGV), or did not crash although the scenario expects it.",
	 "log-HOST.txt of the scenario's folder (--output DIR)."},
	{"until", "The step is repeated until its expectation holds or its time is over.",
	 "The expected state was never reached; the report shows the last answer.",
	 "How often the step was repeated (verbatim run --verbose)."},
	{"outcome", "One of the outcomes that 'either:' allows.",
	 "No outcome came; the report says for each what excluded it.",
	 "The text of 'why:' in the scenario."},
	{NULL},
};

const struct explanation *explanation_find(const struct explanation *entry, const char *name)
{
	for (; entry && entry->name; entry++)
		if (!strcmp(entry->name, name))
			return entry;
	return NULL;
}

const struct explained_set *explained_set_of(const struct const_set *set)
{
	const struct explained_set *s;

	for (s = explained_sets; s->set; s++)
		if (s->set == set)
			return s;
	return NULL;
}
