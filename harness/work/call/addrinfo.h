/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_CALL_ADDRINFO_H
#define VBM_CALL_ADDRINFO_H

#include <infiniband/sa.h>

#include "call/step-util.h"
#include "names/consts.h"

/* For the synchronous and the asynchronous steps of resolution. */

#define HINTS_ROUTES_MAX 8

/* Hints, with the memory for their addresses and routes. */
struct hints {
	struct rdma_addrinfo ai;
	struct sockaddr_storage src, dst;
	union {
		struct ibv_path_record record[HINTS_ROUTES_MAX];
		struct ibv_path_data data[HINTS_ROUTES_MAX];
	} route;
};

int hints_fill(const struct value *args, struct hints *h, struct vbm_error *err);

/* Takes ownership of @ai, names it, and writes its entries as "count" and "results". */
void addrinfo_keep(struct step_ctx *ctx, struct rdma_addrinfo *ai, struct value *result);

struct value *addrinfo_text_or_null(const char *s);

extern const struct field addrinfo_entry_fields[];
extern const struct param addrinfo_route_params[];

/* The parameters of both. hints_fill() reads the second group. */
#define P_NODE                                                                \
	P_STRING("node", "host name or address; default NULL"),               \
	P_STRING("service", "service name or port number; default NULL")
#define P_HINTS                                                               \
	P_BOOL("hints", "false passes NULL for hints; default true"),         \
	P_FLAGS("flags", &const_rai_flags, "ai_flags of the hints; default none"), \
	P_CONST("family", &const_family, "ai_family of the hints; default 0"), \
	P_CONST("qp_type", &const_qp_type, "ai_qp_type of the hints; default 0"), \
	P_CONST("port_space", &const_port_space, "ai_port_space of the hints; default 0"), \
	P_ADDRESS("src_addr", "ai_src_addr of the hints, IP or IP:PORT; default NULL"), \
	P_INT("src_len", 0, UINT32_MAX, "ai_src_len of the hints; default: the length of src_addr"), \
	P_ADDRESS("dst_addr", "ai_dst_addr of the hints, IP or IP:PORT; default NULL"), \
	P_INT("dst_len", 0, UINT32_MAX, "ai_dst_len of the hints; default: the length of dst_addr"), \
	P_ROUTE

#define P_ROUTE                                                               \
	{.name = "route", .type = PARAM_LIST, .sub = addrinfo_route_params,            \
	 .doc = "ai_route of the hints, at most 8 paths; default NULL"},      \
	P_BOOL("route_data", "true: the paths are struct ibv_path_data, else struct " \
			     "ibv_path_record; default false"),               \
	P_INT("route_len", 0, UINT32_MAX, "ai_route_len of the hints; default: the length of route")

#endif
