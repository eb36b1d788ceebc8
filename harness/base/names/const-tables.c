/* SPDX-License-Identifier: BSD-2-Clause */
#include "names/consts.h"

#include <errno.h>
#include <netdb.h>
#include <sys/socket.h>
#include <infiniband/verbs.h>
#include <rdma/rdma_cma.h>

#include "base/xalloc.h"

#ifndef EAI_QPTYPE
#define EAI_QPTYPE EAI_SOCKTYPE
#endif
#ifndef EAI_CANCELED
#define EAI_CANCELED (-101)	/* <netdb.h> defines it with _GNU_SOURCE only */
#endif
#ifndef AF_IB
#define AF_IB 27
#endif
/*
 * The oldest supported rdma-core lacks these. Their values are part of rdma-core's ABI and
 * never change.
 */
#define VBM_RAI_DNS 0x20
#define VBM_RAI_SA 0x10
#define VBM_EVENT_ADDRINFO_RESOLVED 16
#define VBM_EVENT_ADDRINFO_ERROR 17
#define VBM_WR_FLUSH 14
#define VBM_WR_ATOMIC_WRITE 15
#define VBM_WC_FLUSH 8
#define VBM_WC_ATOMIC_WRITE 9
#define VBM_ACCESS_FLUSH_GLOBAL (1 << 8)
#define VBM_ACCESS_FLUSH_PERSISTENT (1 << 9)

static const struct const_entry return_entries[] = {
	{"OK", 0},
	{"EAI_BADFLAGS", EAI_BADFLAGS},
	{"EAI_NONAME", EAI_NONAME},
	{"EAI_AGAIN", EAI_AGAIN},
	{"EAI_FAIL", EAI_FAIL},
	{"EAI_NODATA", EAI_NODATA},
	{"EAI_FAMILY", EAI_FAMILY},
	{"EAI_QPTYPE", EAI_QPTYPE},
	{"EAI_SERVICE", EAI_SERVICE},
	{"EAI_ADDRFAMILY", EAI_ADDRFAMILY},
	{"EAI_MEMORY", EAI_MEMORY},
	{"EAI_SYSTEM", EAI_SYSTEM},
	{"EAI_CANCELED", EAI_CANCELED},
};

const struct const_set const_return = {
	.name = "return",
	.prefix = "",
	.entry = return_entries,
	.count = ARRAY_SIZE(return_entries),
};

static const struct const_entry errno_entries[] = {
	{"OK", 0},
	{"EPERM", EPERM},
	{"ENOENT", ENOENT},
	{"EINTR", EINTR},
	{"EIO", EIO},
	{"ENXIO", ENXIO},
	{"E2BIG", E2BIG},
	{"EBADF", EBADF},
	{"EAGAIN", EAGAIN},
	{"ENOMEM", ENOMEM},
	{"EACCES", EACCES},
	{"EFAULT", EFAULT},
	{"EBUSY", EBUSY},
	{"EEXIST", EEXIST},
	{"ENODEV", ENODEV},
	{"EINVAL", EINVAL},
	{"ENFILE", ENFILE},
	{"EMFILE", EMFILE},
	{"ENOTTY", ENOTTY},
	{"ENOSPC", ENOSPC},
	{"EPIPE", EPIPE},
	{"ERANGE", ERANGE},
	{"ENOSYS", ENOSYS},
	{"EPROTO", EPROTO},
	{"EOVERFLOW", EOVERFLOW},
	{"ENOTSOCK", ENOTSOCK},
	{"EDESTADDRREQ", EDESTADDRREQ},
	{"EMSGSIZE", EMSGSIZE},
	{"EPROTOTYPE", EPROTOTYPE},
	{"EPROTONOSUPPORT", EPROTONOSUPPORT},
	{"EOPNOTSUPP", EOPNOTSUPP},
	{"EAFNOSUPPORT", EAFNOSUPPORT},
	{"EADDRINUSE", EADDRINUSE},
	{"EADDRNOTAVAIL", EADDRNOTAVAIL},
	{"ENETDOWN", ENETDOWN},
	{"ENETUNREACH", ENETUNREACH},
	{"ECONNABORTED", ECONNABORTED},
	{"ECONNRESET", ECONNRESET},
	{"ENOBUFS", ENOBUFS},
	{"EISCONN", EISCONN},
	{"ENOTCONN", ENOTCONN},
	{"ETIMEDOUT", ETIMEDOUT},
	{"ECONNREFUSED", ECONNREFUSED},
	{"EHOSTUNREACH", EHOSTUNREACH},
	{"EALREADY", EALREADY},
	{"EINPROGRESS", EINPROGRESS},
	{"ECANCELED", ECANCELED},
	{"ENOPROTOOPT", ENOPROTOOPT},
	{"ENODATA", ENODATA},
	{"EBADMSG", EBADMSG},
};

const struct const_set const_errno = {
	.name = "errno",
	.prefix = "",
	.entry = errno_entries,
	.count = ARRAY_SIZE(errno_entries),
};

static const struct const_entry pointer_entries[] = {
	{"NULL", 0},
	{"POINTER", 1},
};

const struct const_set const_pointer = {
	.name = "pointer",
	.prefix = "",
	.entry = pointer_entries,
	.count = ARRAY_SIZE(pointer_entries),
};

static const struct const_entry family_entries[] = {
	{"AF_UNSPEC", AF_UNSPEC},
	{"AF_UNIX", AF_UNIX},
	{"AF_INET", AF_INET},
	{"AF_INET6", AF_INET6},
	{"AF_PACKET", AF_PACKET},
	{"AF_IB", AF_IB},
};

const struct const_set const_family = {
	.name = "family",
	.prefix = "",
	.entry = family_entries,
	.count = ARRAY_SIZE(family_entries),
};

static const struct const_entry qp_type_entries[] = {
	{"RC", IBV_QPT_RC},
	{"UC", IBV_QPT_UC},
	{"UD", IBV_QPT_UD},
	{"RAW_PACKET", IBV_QPT_RAW_PACKET},
	{"XRC_SEND", IBV_QPT_XRC_SEND},
	{"XRC_RECV", IBV_QPT_XRC_RECV},
	{"DRIVER", IBV_QPT_DRIVER},
};

const struct const_set const_qp_type = {
	.name = "qp_type",
	.prefix = "IBV_QPT_",
	.entry = qp_type_entries,
	.count = ARRAY_SIZE(qp_type_entries),
};

static const struct const_entry qp_state_entries[] = {
	{"RESET", IBV_QPS_RESET},
	{"INIT", IBV_QPS_INIT},
	{"RTR", IBV_QPS_RTR},
	{"RTS", IBV_QPS_RTS},
	{"SQD", IBV_QPS_SQD},
	{"SQE", IBV_QPS_SQE},
	{"ERR", IBV_QPS_ERR},
	{"UNKNOWN", IBV_QPS_UNKNOWN},
};

const struct const_set const_qp_state = {
	.name = "qp_state",
	.prefix = "IBV_QPS_",
	.entry = qp_state_entries,
	.count = ARRAY_SIZE(qp_state_entries),
};

static const struct const_entry qp_attr_mask_entries[] = {
	{"STATE", IBV_QP_STATE},
	{"CUR_STATE", IBV_QP_CUR_STATE},
	{"EN_SQD_ASYNC_NOTIFY", IBV_QP_EN_SQD_ASYNC_NOTIFY},
	{"ACCESS_FLAGS", IBV_QP_ACCESS_FLAGS},
	{"PKEY_INDEX", IBV_QP_PKEY_INDEX},
	{"PORT", IBV_QP_PORT},
	{"QKEY", IBV_QP_QKEY},
	{"AV", IBV_QP_AV},
	{"PATH_MTU", IBV_QP_PATH_MTU},
	{"TIMEOUT", IBV_QP_TIMEOUT},
	{"RETRY_CNT", IBV_QP_RETRY_CNT},
	{"RNR_RETRY", IBV_QP_RNR_RETRY},
	{"RQ_PSN", IBV_QP_RQ_PSN},
	{"MAX_QP_RD_ATOMIC", IBV_QP_MAX_QP_RD_ATOMIC},
	{"ALT_PATH", IBV_QP_ALT_PATH},
	{"MIN_RNR_TIMER", IBV_QP_MIN_RNR_TIMER},
	{"SQ_PSN", IBV_QP_SQ_PSN},
	{"MAX_DEST_RD_ATOMIC", IBV_QP_MAX_DEST_RD_ATOMIC},
	{"PATH_MIG_STATE", IBV_QP_PATH_MIG_STATE},
	{"CAP", IBV_QP_CAP},
	{"DEST_QPN", IBV_QP_DEST_QPN},
	{"RATE_LIMIT", IBV_QP_RATE_LIMIT},
};

const struct const_set const_qp_attr_mask = {
	.name = "qp_attr_mask",
	.prefix = "IBV_QP_",
	.flags = true,
	.entry = qp_attr_mask_entries,
	.count = ARRAY_SIZE(qp_attr_mask_entries),
};

static const struct const_entry port_space_entries[] = {
	{"IPOIB", RDMA_PS_IPOIB},
	{"TCP", RDMA_PS_TCP},
	{"UDP", RDMA_PS_UDP},
	{"IB", RDMA_PS_IB},
};

const struct const_set const_port_space = {
	.name = "port_space",
	.prefix = "RDMA_PS_",
	.entry = port_space_entries,
	.count = ARRAY_SIZE(port_space_entries),
};

static const struct const_entry port_state_entries[] = {
	{"NOP", IBV_PORT_NOP},
	{"DOWN", IBV_PORT_DOWN},
	{"INIT", IBV_PORT_INIT},
	{"ARMED", IBV_PORT_ARMED},
	{"ACTIVE", IBV_PORT_ACTIVE},
	{"ACTIVE_DEFER", IBV_PORT_ACTIVE_DEFER},
};

const struct const_set const_port_state = {
	.name = "port_state",
	.prefix = "IBV_PORT_",
	.entry = port_state_entries,
	.count = ARRAY_SIZE(port_state_entries),
};

static const struct const_entry link_layer_entries[] = {
	{"UNSPECIFIED", IBV_LINK_LAYER_UNSPECIFIED},
	{"INFINIBAND", IBV_LINK_LAYER_INFINIBAND},
	{"ETHERNET", IBV_LINK_LAYER_ETHERNET},
};

const struct const_set const_link_layer = {
	.name = "link_layer",
	.prefix = "IBV_LINK_LAYER_",
	.entry = link_layer_entries,
	.count = ARRAY_SIZE(link_layer_entries),
};

static const struct const_entry mtu_entries[] = {
	{"256", IBV_MTU_256},
	{"512", IBV_MTU_512},
	{"1024", IBV_MTU_1024},
	{"2048", IBV_MTU_2048},
	{"4096", IBV_MTU_4096},
};

const struct const_set const_mtu = {
	.name = "mtu",
	.prefix = "IBV_MTU_",
	.entry = mtu_entries,
	.count = ARRAY_SIZE(mtu_entries),
};

static const struct const_entry access_entries[] = {
	{"LOCAL_WRITE", IBV_ACCESS_LOCAL_WRITE},
	{"REMOTE_WRITE", IBV_ACCESS_REMOTE_WRITE},
	{"REMOTE_READ", IBV_ACCESS_REMOTE_READ},
	{"REMOTE_ATOMIC", IBV_ACCESS_REMOTE_ATOMIC},
	{"MW_BIND", IBV_ACCESS_MW_BIND},
	{"ZERO_BASED", IBV_ACCESS_ZERO_BASED},
	{"ON_DEMAND", IBV_ACCESS_ON_DEMAND},
	{"HUGETLB", IBV_ACCESS_HUGETLB},
	{"RELAXED_ORDERING", IBV_ACCESS_RELAXED_ORDERING},
	{"FLUSH_GLOBAL", VBM_ACCESS_FLUSH_GLOBAL},
	{"FLUSH_PERSISTENT", VBM_ACCESS_FLUSH_PERSISTENT},
};

const struct const_set const_access = {
	.name = "access",
	.prefix = "IBV_ACCESS_",
	.flags = true,
	.entry = access_entries,
	.count = ARRAY_SIZE(access_entries),
};

static const struct const_entry rai_flags_entries[] = {
	{"PASSIVE", RAI_PASSIVE},
	{"NUMERICHOST", RAI_NUMERICHOST},
	{"NOROUTE", RAI_NOROUTE},
	{"FAMILY", RAI_FAMILY},
	{"DNS", VBM_RAI_DNS},
	{"SA", VBM_RAI_SA},
};

const struct const_set const_rai_flags = {
	.name = "rai_flags",
	.prefix = "RAI_",
	.flags = true,
	.entry = rai_flags_entries,
	.count = ARRAY_SIZE(rai_flags_entries),
};

static const struct const_entry wr_opcode_entries[] = {
	{"RDMA_WRITE", IBV_WR_RDMA_WRITE},
	{"RDMA_WRITE_WITH_IMM", IBV_WR_RDMA_WRITE_WITH_IMM},
	{"SEND", IBV_WR_SEND},
	{"SEND_WITH_IMM", IBV_WR_SEND_WITH_IMM},
	{"RDMA_READ", IBV_WR_RDMA_READ},
	{"ATOMIC_CMP_AND_SWP", IBV_WR_ATOMIC_CMP_AND_SWP},
	{"ATOMIC_FETCH_AND_ADD", IBV_WR_ATOMIC_FETCH_AND_ADD},
	{"LOCAL_INV", IBV_WR_LOCAL_INV},
	{"BIND_MW", IBV_WR_BIND_MW},
	{"SEND_WITH_INV", IBV_WR_SEND_WITH_INV},
	{"TSO", IBV_WR_TSO},
	{"DRIVER1", IBV_WR_DRIVER1},
	{"FLUSH", VBM_WR_FLUSH},
	{"ATOMIC_WRITE", VBM_WR_ATOMIC_WRITE},
};

const struct const_set const_wr_opcode = {
	.name = "wr_opcode",
	.prefix = "IBV_WR_",
	.entry = wr_opcode_entries,
	.count = ARRAY_SIZE(wr_opcode_entries),
};

static const struct const_entry send_flags_entries[] = {
	{"FENCE", IBV_SEND_FENCE},
	{"SIGNALED", IBV_SEND_SIGNALED},
	{"SOLICITED", IBV_SEND_SOLICITED},
	{"INLINE", IBV_SEND_INLINE},
};

const struct const_set const_send_flags = {
	.name = "send_flags",
	.prefix = "IBV_SEND_",
	.flags = true,
	.entry = send_flags_entries,
	.count = ARRAY_SIZE(send_flags_entries),
};

static const struct const_entry wc_status_entries[] = {
	{"SUCCESS", IBV_WC_SUCCESS},
	{"LOC_LEN_ERR", IBV_WC_LOC_LEN_ERR},
	{"LOC_QP_OP_ERR", IBV_WC_LOC_QP_OP_ERR},
	{"LOC_EEC_OP_ERR", IBV_WC_LOC_EEC_OP_ERR},
	{"LOC_PROT_ERR", IBV_WC_LOC_PROT_ERR},
	{"WR_FLUSH_ERR", IBV_WC_WR_FLUSH_ERR},
	{"MW_BIND_ERR", IBV_WC_MW_BIND_ERR},
	{"BAD_RESP_ERR", IBV_WC_BAD_RESP_ERR},
	{"LOC_ACCESS_ERR", IBV_WC_LOC_ACCESS_ERR},
	{"REM_INV_REQ_ERR", IBV_WC_REM_INV_REQ_ERR},
	{"REM_ACCESS_ERR", IBV_WC_REM_ACCESS_ERR},
	{"REM_OP_ERR", IBV_WC_REM_OP_ERR},
	{"RETRY_EXC_ERR", IBV_WC_RETRY_EXC_ERR},
	{"RNR_RETRY_EXC_ERR", IBV_WC_RNR_RETRY_EXC_ERR},
	{"LOC_RDD_VIOL_ERR", IBV_WC_LOC_RDD_VIOL_ERR},
	{"REM_INV_RD_REQ_ERR", IBV_WC_REM_INV_RD_REQ_ERR},
	{"REM_ABORT_ERR", IBV_WC_REM_ABORT_ERR},
	{"INV_EECN_ERR", IBV_WC_INV_EECN_ERR},
	{"INV_EEC_STATE_ERR", IBV_WC_INV_EEC_STATE_ERR},
	{"FATAL_ERR", IBV_WC_FATAL_ERR},
	{"RESP_TIMEOUT_ERR", IBV_WC_RESP_TIMEOUT_ERR},
	{"GENERAL_ERR", IBV_WC_GENERAL_ERR},
};

const struct const_set const_wc_status = {
	.name = "wc_status",
	.prefix = "IBV_WC_",
	.entry = wc_status_entries,
	.count = ARRAY_SIZE(wc_status_entries),
};

static const struct const_entry wc_opcode_entries[] = {
	{"SEND", IBV_WC_SEND},
	{"RDMA_WRITE", IBV_WC_RDMA_WRITE},
	{"RDMA_READ", IBV_WC_RDMA_READ},
	{"COMP_SWAP", IBV_WC_COMP_SWAP},
	{"FETCH_ADD", IBV_WC_FETCH_ADD},
	{"BIND_MW", IBV_WC_BIND_MW},
	{"LOCAL_INV", IBV_WC_LOCAL_INV},
	{"TSO", IBV_WC_TSO},
	{"FLUSH", VBM_WC_FLUSH},
	{"ATOMIC_WRITE", VBM_WC_ATOMIC_WRITE},
	{"RECV", IBV_WC_RECV},
	{"RECV_RDMA_WITH_IMM", IBV_WC_RECV_RDMA_WITH_IMM},
};

const struct const_set const_wc_opcode = {
	.name = "wc_opcode",
	.prefix = "IBV_WC_",
	.entry = wc_opcode_entries,
	.count = ARRAY_SIZE(wc_opcode_entries),
};

static const struct const_entry wc_flags_entries[] = {
	{"GRH", IBV_WC_GRH},
	{"WITH_IMM", IBV_WC_WITH_IMM},
	{"WITH_INV", IBV_WC_WITH_INV},
	{"IP_CSUM_OK", IBV_WC_IP_CSUM_OK},
};

const struct const_set const_wc_flags = {
	.name = "wc_flags",
	.prefix = "IBV_WC_",
	.flags = true,
	.entry = wc_flags_entries,
	.count = ARRAY_SIZE(wc_flags_entries),
};

static const struct const_entry cm_event_entries[] = {
	{"ADDR_RESOLVED", RDMA_CM_EVENT_ADDR_RESOLVED},
	{"ADDR_ERROR", RDMA_CM_EVENT_ADDR_ERROR},
	{"ROUTE_RESOLVED", RDMA_CM_EVENT_ROUTE_RESOLVED},
	{"ROUTE_ERROR", RDMA_CM_EVENT_ROUTE_ERROR},
	{"CONNECT_REQUEST", RDMA_CM_EVENT_CONNECT_REQUEST},
	{"CONNECT_RESPONSE", RDMA_CM_EVENT_CONNECT_RESPONSE},
	{"CONNECT_ERROR", RDMA_CM_EVENT_CONNECT_ERROR},
	{"UNREACHABLE", RDMA_CM_EVENT_UNREACHABLE},
	{"REJECTED", RDMA_CM_EVENT_REJECTED},
	{"ESTABLISHED", RDMA_CM_EVENT_ESTABLISHED},
	{"DISCONNECTED", RDMA_CM_EVENT_DISCONNECTED},
	{"DEVICE_REMOVAL", RDMA_CM_EVENT_DEVICE_REMOVAL},
	{"MULTICAST_JOIN", RDMA_CM_EVENT_MULTICAST_JOIN},
	{"MULTICAST_ERROR", RDMA_CM_EVENT_MULTICAST_ERROR},
	{"ADDR_CHANGE", RDMA_CM_EVENT_ADDR_CHANGE},
	{"TIMEWAIT_EXIT", RDMA_CM_EVENT_TIMEWAIT_EXIT},
	{"ADDRINFO_RESOLVED", VBM_EVENT_ADDRINFO_RESOLVED},
	{"ADDRINFO_ERROR", VBM_EVENT_ADDRINFO_ERROR},
};

const struct const_set const_cm_event = {
	.name = "cm_event",
	.prefix = "RDMA_CM_EVENT_",
	.entry = cm_event_entries,
	.count = ARRAY_SIZE(cm_event_entries),
};

static const struct const_entry cm_option_entries[] = {
	{"TOS", RDMA_OPTION_ID_TOS},
	{"REUSEADDR", RDMA_OPTION_ID_REUSEADDR},
	{"AFONLY", RDMA_OPTION_ID_AFONLY},
	{"ACK_TIMEOUT", RDMA_OPTION_ID_ACK_TIMEOUT},
};

const struct const_set const_cm_option = {
	.name = "cm_option",
	.prefix = "RDMA_OPTION_ID_",
	.entry = cm_option_entries,
	.count = ARRAY_SIZE(cm_option_entries),
};

static const struct const_entry join_flags_entries[] = {
	{"FULLMEMBER", RDMA_MC_JOIN_FLAG_FULLMEMBER},
	{"SENDONLY_FULLMEMBER", RDMA_MC_JOIN_FLAG_SENDONLY_FULLMEMBER},
};

const struct const_set const_join_flags = {
	.name = "join_flags",
	.prefix = "RDMA_MC_JOIN_FLAG_",
	.entry = join_flags_entries,
	.count = ARRAY_SIZE(join_flags_entries),
};

static const struct const_entry async_event_entries[] = {
	{"CQ_ERR", IBV_EVENT_CQ_ERR},
	{"QP_FATAL", IBV_EVENT_QP_FATAL},
	{"QP_REQ_ERR", IBV_EVENT_QP_REQ_ERR},
	{"QP_ACCESS_ERR", IBV_EVENT_QP_ACCESS_ERR},
	{"COMM_EST", IBV_EVENT_COMM_EST},
	{"SQ_DRAINED", IBV_EVENT_SQ_DRAINED},
	{"PATH_MIG", IBV_EVENT_PATH_MIG},
	{"PATH_MIG_ERR", IBV_EVENT_PATH_MIG_ERR},
	{"DEVICE_FATAL", IBV_EVENT_DEVICE_FATAL},
	{"PORT_ACTIVE", IBV_EVENT_PORT_ACTIVE},
	{"PORT_ERR", IBV_EVENT_PORT_ERR},
	{"LID_CHANGE", IBV_EVENT_LID_CHANGE},
	{"PKEY_CHANGE", IBV_EVENT_PKEY_CHANGE},
	{"SM_CHANGE", IBV_EVENT_SM_CHANGE},
	{"SRQ_ERR", IBV_EVENT_SRQ_ERR},
	{"SRQ_LIMIT_REACHED", IBV_EVENT_SRQ_LIMIT_REACHED},
	{"QP_LAST_WQE_REACHED", IBV_EVENT_QP_LAST_WQE_REACHED},
	{"CLIENT_REREGISTER", IBV_EVENT_CLIENT_REREGISTER},
	{"GID_CHANGE", IBV_EVENT_GID_CHANGE},
	{"WQ_FATAL", IBV_EVENT_WQ_FATAL},
};

const struct const_set const_async_event = {
	.name = "async_event",
	.prefix = "IBV_EVENT_",
	.entry = async_event_entries,
	.count = ARRAY_SIZE(async_event_entries),
};

static const struct const_entry atomic_cap_entries[] = {
	{"NONE", IBV_ATOMIC_NONE},
	{"HCA", IBV_ATOMIC_HCA},
	{"GLOB", IBV_ATOMIC_GLOB},
};

const struct const_set const_atomic_cap = {
	.name = "atomic_cap",
	.prefix = "IBV_ATOMIC_",
	.entry = atomic_cap_entries,
	.count = ARRAY_SIZE(atomic_cap_entries),
};

const struct const_set *const const_sets[] = {
	&const_return,
	&const_errno,
	&const_pointer,
	&const_family,
	&const_qp_type,
	&const_qp_state,
	&const_qp_attr_mask,
	&const_port_space,
	&const_port_state,
	&const_link_layer,
	&const_mtu,
	&const_access,
	&const_rai_flags,
	&const_wr_opcode,
	&const_send_flags,
	&const_wc_status,
	&const_wc_opcode,
	&const_wc_flags,
	&const_cm_event,
	&const_cm_option,
	&const_join_flags,
	&const_async_event,
	&const_atomic_cap,
	&const_mw_type,
	&const_srq_attr_mask,
	&const_rereg,
	&const_rereg_error,
	&const_advice,
	&const_advise_flag,
	&const_send_ops,
	&const_flush_type,
	&const_flush_level,
	&const_packet_opcode,
	&const_aeth_kind,
	&const_nak_code,
	&const_handshake_flag,
	NULL,
};
