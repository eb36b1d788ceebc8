/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Management datagrams (IBTA vol 1, chapter 13.4.3), the messages of the connection manager
 * (chapter 12.6) and the private data of IP connections (annex A11).
 */
#include "codec/header.h"

#include "names/consts.h"

static const struct header_field mad_fields[] = {
	{"mad_version", 0, 8, .usual = 1, .doc = "1"},
	{"class", 8, 8, SHOW_NAME, .names = &const_mad_class, .usual = 7, .doc = "whom the datagram is for"},
	{"class_version", 16, 8, .usual = 2, .doc = "2 for the connection manager"},
	{"method", 24, 8, SHOW_NAME, .names = &const_mad_method, .usual = 3, .doc = "what to do"},
	{"mad_status", 32, 16, SHOW_HEX, LINE_UNUSUAL, .doc = "0: no error"},
	{"class_specific", 48, 16, SHOW_HEX, .doc = "depends on the class"},
	{"tid", 64, 64, SHOW_HEX, LINE_ALWAYS, .doc = "transaction: an answer has that of its request"},
	{"attribute", 128, 16, SHOW_HEX, .doc = "which message it is"},
	{"mad_reserved", 144, 16, SHOW_HEX, .doc = "0"},
	{"modifier", 160, 32, SHOW_HEX, .doc = "modifier of the attribute"},
	{NULL},
};
const struct header header_mad = {"mad", "management datagram", 24, mad_fields};

static const struct header_field req_fields[] = {
	{"local_comm_id", 0, 32, SHOW_HEX, LINE_ALWAYS, .doc = "the sender's number of the connection"},
	{"req_reserved", 32, 32, SHOW_HEX, .doc = "0"},
	{"service_id", 64, 64, SHOW_HEX, LINE_ALWAYS, .doc = "the service; rdma_cm puts port space and port into it"},
	{"ca_guid", 128, 64, SHOW_HEX, .doc = "the sender's device"},
	{"req_reserved2", 192, 32, SHOW_HEX, .doc = "0"},
	{"cm_qkey", 224, 32, SHOW_HEX, .doc = "Q_Key, for datagrams"},
	{"local_qp", 256, 24, SHOW_HEX, LINE_ALWAYS, .doc = "the sender's queue pair"},
	{"responder_resources", 280, 8, SHOW_NUMBER, LINE_ALWAYS, .doc = "READs and atomics that the sender can answer at once"},
	{"local_eec", 288, 24, SHOW_HEX, .doc = "0"},
	{"initiator_depth", 312, 8, SHOW_NUMBER, LINE_ALWAYS, .doc = "READs and atomics that the sender asks for at once"},
	{"remote_eec", 320, 24, SHOW_HEX, .doc = "0"},
	{"remote_cm_timeout", 344, 5, .doc = "code for the time in which the receiver answers"},
	{"transport", 349, 2, SHOW_NAME, LINE_UNUSUAL, &const_cm_transport, .doc = "type of the queue pair"},
	{"flow_control", 351, 1, SHOW_FLAG, .doc = "the sender counts credits"},
	{"starting_psn", 352, 24, SHOW_NUMBER, LINE_ALWAYS, .doc = "the packet number with which the receiver of this message begins"},
	{"local_cm_timeout", 376, 5, .doc = "code for the time in which the sender answers"},
	{"retry_count", 381, 3, SHOW_NUMBER, LINE_ALWAYS, .doc = "how often to send a packet again"},
	{"cm_pkey", 384, 16, SHOW_HEX, LINE_UNUSUAL, .usual = 0xffff, .doc = "partition"},
	{"path_mtu", 400, 4, SHOW_NAME, LINE_ALWAYS, &const_mtu, .usual = 3, .doc = "path MTU"},
	{"rdc_exists", 404, 1, SHOW_FLAG, .doc = "0"},
	{"rnr_retry_count", 405, 3, SHOW_NUMBER, LINE_ALWAYS, .doc = "how often to wait for a receiver that is not ready"},
	{"max_cm_retries", 408, 4, .doc = "how often to send a message again"},
	{"srq", 412, 1, SHOW_FLAG, LINE_UNUSUAL, .doc = "the sender has a shared receive queue"},
	{"extended_transport", 413, 3, .doc = "0"},
	{"primary_local_lid", 416, 16, SHOW_HEX, .doc = "0xffff"},
	{"primary_remote_lid", 432, 16, SHOW_HEX, .doc = "0xffff"},
	{"primary_local_gid", 448, 128, SHOW_IP6, .doc = "the sender's address"},
	{"primary_remote_gid", 576, 128, SHOW_IP6, .doc = "the receiver's address"},
	{"primary_flow_label", 704, 20, SHOW_HEX, .doc = "flow label"},
	{"req_reserved3", 724, 6, SHOW_HEX, .doc = "0"},
	{"primary_rate", 730, 6, .doc = "code for the rate"},
	{"primary_traffic_class", 736, 8, .doc = "traffic class"},
	{"primary_hop_limit", 744, 8, .doc = "how many routers may pass packets on"},
	{"primary_sl", 752, 4, .doc = "service level"},
	{"primary_subnet_local", 756, 1, SHOW_FLAG, .doc = "the receiver is in the same subnet"},
	{"req_reserved4", 757, 3, SHOW_HEX, .doc = "0"},
	{"primary_ack_timeout", 760, 5, SHOW_NUMBER, LINE_ALWAYS, .doc = "code for the time in which acknowledgements come"},
	{"req_reserved5", 765, 3, SHOW_HEX, .doc = "0"},
	{"alternate_local_lid", 768, 16, SHOW_HEX, .doc = "the same for a second path"},
	{"alternate_remote_lid", 784, 16, SHOW_HEX, .doc = "the same for a second path"},
	{"alternate_local_gid", 800, 128, SHOW_IP6, .doc = "the same for a second path"},
	{"alternate_remote_gid", 928, 128, SHOW_IP6, .doc = "the same for a second path"},
	{"alternate_flow_label", 1056, 20, SHOW_HEX, .doc = "the same for a second path"},
	{"req_reserved6", 1076, 6, SHOW_HEX, .doc = "0"},
	{"alternate_rate", 1082, 6, .doc = "the same for a second path"},
	{"alternate_traffic_class", 1088, 8, .doc = "the same for a second path"},
	{"alternate_hop_limit", 1096, 8, .doc = "the same for a second path"},
	{"alternate_sl", 1104, 4, .doc = "the same for a second path"},
	{"alternate_subnet_local", 1108, 1, SHOW_FLAG, .doc = "the same for a second path"},
	{"req_reserved7", 1109, 3, SHOW_HEX, .doc = "0"},
	{"alternate_ack_timeout", 1112, 5, .doc = "the same for a second path"},
	{"req_reserved8", 1117, 3, SHOW_HEX, .doc = "0"},
	{"private_data", 1120, 736, SHOW_BYTES, .doc = "what the program, or rdma_cm, sends along"},
	{NULL},
};
const struct header header_cm_req = {"REQ", "request to connect", 232, req_fields};

#define COMM_IDS                                                               \
	{"local_comm_id", 0, 32, SHOW_HEX, LINE_ALWAYS, .doc = "the sender's number of the connection"}, \
	{"remote_comm_id", 32, 32, SHOW_HEX, LINE_ALWAYS, .doc = "the receiver's number of the connection"}

static const struct header_field mra_fields[] = {
	COMM_IDS,
	{"answered", 64, 2, SHOW_NAME, LINE_ALWAYS, &const_cm_answered, .doc = "the message that it answers"},
	{"mra_reserved", 66, 6, SHOW_HEX, .doc = "0"},
	{"service_timeout", 72, 5, SHOW_NUMBER, LINE_ALWAYS, .doc = "code for the time that the sender still needs"},
	{"mra_reserved2", 77, 3, SHOW_HEX, .doc = "0"},
	{"private_data", 80, 1776, SHOW_BYTES, .doc = "what the program sends along"},
	{NULL},
};
const struct header header_cm_mra = {"MRA", "the message came, the answer needs time", 232, mra_fields};

static const struct header_field rej_fields[] = {
	COMM_IDS,
	{"answered", 64, 2, SHOW_NAME, LINE_ALWAYS, &const_cm_answered, .doc = "the message that it answers"},
	{"rej_reserved", 66, 6, SHOW_HEX, .doc = "0"},
	{"info_length", 72, 7, .doc = "bytes of info that count"},
	{"rej_reserved2", 79, 1, SHOW_FLAG, .doc = "0"},
	{"reason", 80, 16, SHOW_NAME, LINE_ALWAYS, &const_cm_reason, .usual = 28, .doc = "why"},
	{"info", 96, 576, SHOW_BYTES, .doc = "more about the reason"},
	{"private_data", 672, 1184, SHOW_BYTES, .doc = "what the program sends along"},
	{NULL},
};
const struct header header_cm_rej = {"REJ", "refusal", 232, rej_fields};

static const struct header_field rep_fields[] = {
	COMM_IDS,
	{"cm_qkey", 64, 32, SHOW_HEX, .doc = "Q_Key, for datagrams"},
	{"local_qp", 96, 24, SHOW_HEX, LINE_ALWAYS, .doc = "the sender's queue pair"},
	{"rep_reserved", 120, 8, SHOW_HEX, .doc = "0"},
	{"local_eec", 128, 24, SHOW_HEX, .doc = "0"},
	{"rep_reserved2", 152, 8, SHOW_HEX, .doc = "0"},
	{"starting_psn", 160, 24, SHOW_NUMBER, LINE_ALWAYS, .doc = "the packet number with which the receiver of this message begins"},
	{"rep_reserved3", 184, 8, SHOW_HEX, .doc = "0"},
	{"responder_resources", 192, 8, SHOW_NUMBER, LINE_ALWAYS, .doc = "READs and atomics that the sender can answer at once"},
	{"initiator_depth", 200, 8, SHOW_NUMBER, LINE_ALWAYS, .doc = "READs and atomics that the sender asks for at once"},
	{"ack_delay", 208, 5, .doc = "code for the sender's delay"},
	{"failover_accepted", 213, 2, .doc = "whether the second path is accepted"},
	{"flow_control", 215, 1, SHOW_FLAG, .doc = "the sender counts credits"},
	{"rnr_retry_count", 216, 3, SHOW_NUMBER, LINE_ALWAYS, .doc = "how often to wait for a receiver that is not ready"},
	{"srq", 219, 1, SHOW_FLAG, LINE_UNUSUAL, .doc = "the sender has a shared receive queue"},
	{"rep_reserved4", 220, 4, SHOW_HEX, .doc = "0"},
	{"ca_guid", 224, 64, SHOW_HEX, .doc = "the sender's device"},
	{"private_data", 288, 1568, SHOW_BYTES, .doc = "what the program sends along"},
	{NULL},
};
const struct header header_cm_rep = {"REP", "acceptance", 232, rep_fields};

static const struct header_field rtu_fields[] = {
	COMM_IDS,
	{"private_data", 64, 1792, SHOW_BYTES, .doc = "what the program sends along"},
	{NULL},
};
const struct header header_cm_rtu = {"RTU", "ready to use", 232, rtu_fields};

static const struct header_field dreq_fields[] = {
	COMM_IDS,
	{"remote_qp", 64, 24, SHOW_HEX, LINE_ALWAYS, .doc = "the receiver's queue pair"},
	{"dreq_reserved", 88, 8, SHOW_HEX, .doc = "0"},
	{"private_data", 96, 1760, SHOW_BYTES, .doc = "what the program sends along"},
	{NULL},
};
const struct header header_cm_dreq = {"DREQ", "request to disconnect", 232, dreq_fields};
const struct header header_cm_drep = {"DREP", "answer to DREQ", 232, rtu_fields};

static const struct header_field sidr_req_fields[] = {
	{"request_id", 0, 32, SHOW_HEX, LINE_ALWAYS, .doc = "number of the request"},
	{"cm_pkey", 32, 16, SHOW_HEX, LINE_UNUSUAL, .usual = 0xffff, .doc = "partition"},
	{"sidr_reserved", 48, 16, SHOW_HEX, .doc = "0"},
	{"service_id", 64, 64, SHOW_HEX, LINE_ALWAYS, .doc = "the service; rdma_cm puts port space and port into it"},
	{"private_data", 128, 1728, SHOW_BYTES, .doc = "what the program, or rdma_cm, sends along"},
	{NULL},
};
const struct header header_cm_sidr_req = {"SIDR_REQ", "question for the queue pair of a service", 232, sidr_req_fields};

static const struct header_field sidr_rep_fields[] = {
	{"request_id", 0, 32, SHOW_HEX, LINE_ALWAYS, .doc = "number of the request"},
	{"sidr_status", 32, 8, SHOW_NAME, LINE_ALWAYS, &const_sidr_status, .doc = "whether there is such a service"},
	{"info_length", 40, 8, .doc = "bytes of info that count"},
	{"vendor_high", 48, 16, SHOW_HEX, .doc = "the upper bits of the vendor's number"},
	{"local_qp", 64, 24, SHOW_HEX, LINE_ALWAYS, .doc = "the queue pair of the service"},
	{"vendor_low", 88, 8, SHOW_HEX, .doc = "the lower bits of the vendor's number"},
	{"service_id", 96, 64, SHOW_HEX, LINE_ALWAYS, .doc = "the service"},
	{"cm_qkey", 160, 32, SHOW_HEX, LINE_ALWAYS, .doc = "Q_Key of that queue pair"},
	{"info", 192, 576, SHOW_BYTES, .doc = "more about the status"},
	{"private_data", 768, 1088, SHOW_BYTES, .doc = "what the program sends along"},
	{NULL},
};
const struct header header_cm_sidr_rep = {"SIDR_REP", "answer to SIDR_REQ", 232, sidr_rep_fields};

static const struct header_field lap_fields[] = {
	COMM_IDS,
	{"lap_reserved", 64, 32, SHOW_HEX, .doc = "0"},
	{"remote_qp", 96, 24, SHOW_HEX, LINE_ALWAYS, .doc = "the receiver's queue pair"},
	{"remote_cm_timeout", 120, 5, .doc = "code for the time in which the receiver answers"},
	{"lap_reserved2", 125, 3, SHOW_HEX, .doc = "0"},
	{"lap_reserved3", 128, 32, SHOW_HEX, .doc = "0"},
	{"alternate_local_lid", 160, 16, SHOW_HEX, .doc = "0xffff"},
	{"alternate_remote_lid", 176, 16, SHOW_HEX, .doc = "0xffff"},
	{"alternate_local_gid", 192, 128, SHOW_IP6, .doc = "the sender's address on the second path"},
	{"alternate_remote_gid", 320, 128, SHOW_IP6, .doc = "the receiver's address on the second path"},
	{"alternate_flow_label", 448, 20, SHOW_HEX, .doc = "flow label of the second path"},
	{"lap_reserved4", 468, 4, SHOW_HEX, .doc = "0"},
	{"alternate_traffic_class", 472, 8, .doc = "traffic class of the second path"},
	{"alternate_hop_limit", 480, 8, .doc = "how many routers may pass packets on"},
	{"lap_reserved5", 488, 2, SHOW_HEX, .doc = "0"},
	{"alternate_rate", 490, 6, .doc = "code for the rate of the second path"},
	{"alternate_sl", 496, 4, .doc = "service level of the second path"},
	{"alternate_subnet_local", 500, 1, SHOW_FLAG, .doc = "the receiver is in the same subnet"},
	{"lap_reserved6", 501, 3, SHOW_HEX, .doc = "0"},
	{"alternate_ack_timeout", 504, 5, .doc = "code for the time in which acknowledgements come"},
	{"lap_reserved7", 509, 3, SHOW_HEX, .doc = "0"},
	{"private_data", 512, 1344, SHOW_BYTES, .doc = "what the program sends along"},
	{NULL},
};
const struct header header_cm_lap = {"LAP", "request to load a second path", 232, lap_fields};

static const struct header_field apr_fields[] = {
	COMM_IDS,
	{"info_length", 64, 8, .doc = "bytes of info that count"},
	{"apr_status", 72, 8, SHOW_NAME, LINE_ALWAYS, &const_apr_status, .doc = "whether the second path was loaded"},
	{"apr_reserved", 80, 16, SHOW_HEX, .doc = "0"},
	{"info", 96, 576, SHOW_BYTES, .doc = "more about the status"},
	{"private_data", 672, 1184, SHOW_BYTES, .doc = "what the program sends along"},
	{NULL},
};
const struct header header_cm_apr = {"APR", "answer to LAP", 232, apr_fields};

static const struct header_field ip_cm_fields[] = {
	{"cma_version", 0, 8, .doc = "0"},
	{"cma_ip_version", 8, 4, SHOW_NUMBER, .usual = 4, .doc = "4 or 6"},
	{"cma_reserved", 12, 4, SHOW_HEX, .doc = "0"},
	{"cma_port", 16, 16, SHOW_NUMBER, LINE_ALWAYS, .doc = "the sender's port"},
	{"cma_src", 32, 128, SHOW_IP6, .doc = "the sender's address; IPv4 is in the last 4 bytes"},
	{"cma_dst", 160, 128, SHOW_IP6, .doc = "the receiver's address"},
	{NULL},
};
const struct header header_ip_cm = {"rdma_cm", "private data of rdma_cm", 36, ip_cm_fields};
