/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The calls of names/calls.def. For a call whose arguments or answers mutants change there are IN_CALL and OUT_CALL,
 * lists of parts that begin with _; the parts of OUT_CALL are those after the call. The calls of which a mutant breaks
 * more have functions by hand in the other files.
 */
#include "tests/mutants/mutant-fields.h"

#include <netdb.h>

/* Headers make calls of them with other names. */
#undef ibv_reg_mr
#undef ibv_reg_mr_iova

/* An argument's structure, or a copy of it, so that the program's own stays as it is. */
#define THE(arg, fields) {arg, fields}
#define COPY(arg, fields)                                                     \
	{(void *)(uintptr_t)((arg) = __builtin_memcpy(__builtin_alloca(sizeof(*(arg))), arg, sizeof(*(arg)))), fields}

/* A structure that a call fills in if it returns 0, or if it returns a pointer, and the object at that pointer. */
#define FILLED(arg, fields) {c.ret ? NULL : (arg), fields}
#define FILLED_BY_MAKER(arg, fields) {c.ret ? (arg) : NULL, fields}
#define MADE(fields) {(void *)c.ret, fields}

/* An identifier, whose context librdmacm may have opened. */
#define ID(id) {({ mutant_of_id(id); (id); }), mutant_cm_id}, {id, mutant_id_addresses}

#define IN_rdma_freeaddrinfo _, THE(list, mutant_addrinfo)
#define IN_rdma_create_id _, ARG(channel), ARG(context), ARG(ps)
#define OUT_rdma_create_id _, FILLED(*id, mutant_cm_id)
#define IN_rdma_migrate_id _, ARG(channel)
#define OUT_rdma_migrate_id _, ID(id)
#define IN_rdma_resolve_addr _, ARG(src), THE(dst, mutant_address), ARG(timeout_ms)
#define OUT_rdma_resolve_addr _, ID(id)
#define IN_rdma_resolve_route _, ARG(timeout_ms)
#define OUT_rdma_resolve_route _, ID(id)
#define IN_rdma_create_qp _, ARG(pd), THE(attr, mutant_qp_init_attr)
#define OUT_rdma_create_qp _, ID(id)
#define IN_rdma_listen _, ARG(backlog)
#define OUT_rdma_listen _, ID(id)
#define IN_rdma_reject _, ARG(data), ARG(len)
#define OUT_rdma_reject _, ID(id)
#define OUT_rdma_disconnect _, ID(id)
#define OUT_rdma_establish _, ID(id)
#define IN_rdma_notify _, ARG(event)
#define OUT_rdma_notify _, ID(id)
#define IN_rdma_set_option _, ARG(level), ARG(name), ARG(len), THE(value, option_value)
#define OUT_rdma_set_option _, ID(id)
#define IN_rdma_join_multicast _, THE(addr, mutant_address), ARG(context)
#define OUT_rdma_join_multicast _, ID(id)
#define IN_rdma_join_multicast_ex _, ARG(context), THE(attr, join_fields), THE(attr->addr, mutant_address)
#define OUT_rdma_join_multicast_ex _, ID(id)
#define IN_rdma_leave_multicast _, THE(addr, mutant_address)
#define OUT_rdma_leave_multicast _, ID(id)
#define OUT_rdma_get_request _, FILLED(({ mutant_of_id(*id); *id; }), mutant_cm_id)

#define IN_ibv_query_gid _, ARG(port), ARG(index)
#define OUT_ibv_query_gid _, FILLED(gid, mutant_gid)
#define IN_ibv_query_pkey _, ARG(port), ARG(index)
#define OUT_ibv_query_pkey _, ARG(*pkey)

#define IN_ibv_reg_mr_iova _, ARG(addr), ARG(length), ARG(iova), ARG(access)
#define OUT_ibv_reg_mr_iova _, MADE(mutant_mr)
#define IN_ibv_create_srq _, THE(attr, mutant_srq_init_attr)
#define OUT_ibv_create_srq _, FILLED_BY_MAKER(attr, mutant_srq_init_attr), MADE(mutant_srq)
#define IN_ibv_modify_srq _, COPY(attr, mutant_srq_attr), ARG(mask)
#define OUT_ibv_query_srq _, FILLED(attr, mutant_srq_attr)

#define IN_ibv_create_qp _, THE(attr, mutant_qp_init_attr)
#define OUT_ibv_create_qp _, FILLED_BY_MAKER(attr, mutant_qp_init_attr), MADE(mutant_qp)
#define IN_ibv_modify_qp _, COPY(attr, mutant_qp_attr), ARG(mask)
#define OUT_ibv_modify_qp _, THE(qp, mutant_qp)
#define IN_ibv_query_qp _, ARG(mask)
#define OUT_ibv_query_qp _, FILLED(attr, mutant_qp_attr), FILLED(init, mutant_qp_init_attr)
#define IN_ibv_create_ah _, COPY(attr, mutant_ah_attr)
#define IN_ibv_init_ah_from_wc _, ARG(port), COPY(grh, mutant_grh)
#define OUT_ibv_init_ah_from_wc _, FILLED(attr, mutant_ah_attr)
#define IN_ibv_create_ah_from_wc _, ARG(port), COPY(grh, mutant_grh)
#define IN_ibv_attach_mcast _, COPY(gid, mutant_gid), ARG(lid)
#define IN_ibv_detach_mcast _, COPY(gid, mutant_gid), ARG(lid)

static const struct mutant_field join_fields[] = {
	FIELD(struct rdma_cm_join_mc_attr_ex, join_flags), {NULL, 0, 0},
}, option_value[] = {
	{"value", 0, 4}, {"byte", 0, 1}, {NULL, 0, 0},
};

/* The parts after the _; none if there is no such list. */
#define PARTS(...) AFTER_FIRST(__VA_ARGS__)
#define AFTER_FIRST(first, ...) {__VA_ARGS__}

#define WRAPPER(type, call, params, make, result)                             \
	__attribute__((weak)) type call params                                \
	{                                                                     \
		struct mutant_call c = {.name = #call, .in = PARTS(IN_##call)}; \
									      \
		while (mutant_begin(&c)) {                                    \
			make;                                                 \
			__builtin_memcpy(c.out, (struct mutant_part[MUTANT_PARTS])PARTS(OUT_##call), sizeof(c.out)); \
		}                                                             \
		result mutant_end(&c);                                        \
	}

#define VALUE_CALL(type, call, params, args) WRAPPER(type, call, params, c.ret = (intptr_t)NEXT(call) args, return (type))
#define VOID_CALL(type, call, params, args) WRAPPER(type, call, params, NEXT(call) args, )
#define POINTER_CALL VALUE_CALL
#define NUMBER_CALL VALUE_CALL
#define EVENT_CALL VALUE_CALL
#define CALL(result, field, type, call, params, args, ...) result##_CALL(type, call, params, args)
#include "names/calls.def"
