/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_STEP_ROUTE_H
#define VBM_STEP_ROUTE_H

#include "step/step-util.h"

/* Route and connect data of a result, as scenarios see them. */
#define F_ROUTE                                                               \
	F_LIST("route", route_fields, "the struct ibv_path_data of ai_route"), \
	F_STRING("connect", "the bytes of ai_connect in hexadecimal, or null")
extern const struct field route_fields[];

/* "route" and "connect" of an entry; only whole elements are looked at. */
void route_tell(struct value *v, const struct rdma_addrinfo *a);

#endif
