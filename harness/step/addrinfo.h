/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_STEP_ADDRINFO_H
#define VBM_STEP_ADDRINFO_H

#include <infiniband/sa.h>

#include "step/step-util.h"

/* What the synchronous and the asynchronous resolution steps share. */

#define HINTS_ROUTES_MAX 8

/* Hints and the storage their addresses and routes point to. */
struct hints {
	struct rdma_addrinfo ai;
	struct sockaddr_storage src, dst;
	union {
		struct ibv_path_record record[HINTS_ROUTES_MAX];
		struct ibv_path_data data[HINTS_ROUTES_MAX];
	} route;
};

int hints_fill(const struct value *args, struct hints *h, struct vbm_error *err);

/* Takes @ai: names it, and tells its entries as "count" and "results". */
int addrinfo_keep(struct step_ctx *ctx, struct rdma_addrinfo *ai, struct value *result,
		  struct vbm_error *err);

extern const struct field addrinfo_entry_fields[];

/* "route:" and what belongs to it; see hints-route.c. */
int hints_route(const struct value *args, struct hints *h, struct vbm_error *err);

extern const struct param route_params[];

#define P_ROUTE                                                               \
	{.name = "route", .type = PARAM_LIST, .sub = route_params,            \
	 .doc = "ai_route of the hints, at most 8 paths; default NULL"},      \
	P_BOOL("route_data", "true: the paths are struct ibv_path_data, else struct " \
			     "ibv_path_record; default false"),               \
	P_INT("route_len", 0, UINT32_MAX, "ai_route_len of the hints; default: that of route")

#endif
