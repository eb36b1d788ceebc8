/* SPDX-License-Identifier: BSD-2-Clause */
/* The calls of names/calls.def: each passes on, and says that it failed. Those that do more are in calls-more.c. */
#include "trace/trace.h"

#include <errno.h>

/* Headers make calls of them with other names, but programs link these. */
#undef ibv_reg_mr
#undef ibv_reg_mr_iova
#undef ibv_query_port

#define TRACED(type, call, params, args, way, number, failed, ...)            \
	__attribute__((weak)) type call params                                \
	{                                                                     \
		type ret = NEXT(call) args;                                   \
									      \
		if (failed)                                                   \
			trace_failed(#call, way, number, NULL, __VA_ARGS__);  \
		return ret;                                                   \
	}

#define POINTER_CALL(type, call, params, args, ...) TRACED(type, call, params, args, TRACE_NULL, 0, !ret, __VA_ARGS__)
#define NUMBER_CALL(type, call, params, args, ...) TRACED(type, call, params, args, TRACE_NUMBER, ret, ret, __VA_ARGS__)
#define EVENT_CALL(type, call, params, args, ...)                             \
	TRACED(type, call, params, args, TRACE_NUMBER, ret, ret && errno != EAGAIN && errno != EINTR, __VA_ARGS__)
#define VALUE_CALL(...)
#define VOID_CALL(...)

/* No step makes these. */
NUMBER_CALL(int, rdma_create_qp_ex, (struct rdma_cm_id *id, struct ibv_qp_init_attr_ex *attr), (id, attr), "%s, %s",
	    trace_id(id), attr ? trace_qp_type(attr->qp_type) : "NULL")
NUMBER_CALL(int, ibv_query_port, (struct ibv_context *context, uint8_t port, struct _compat_ibv_port_attr *attr),
	    (context, port, attr), "port %u", port)
POINTER_CALL(struct ibv_mr *, ibv_reg_mr_iova2,
	     (struct ibv_pd *pd, void *addr, size_t length, uint64_t iova, unsigned int access), (pd, addr, length, iova, access),
	     "address %p, length %zu, iova 0x%llx, %s", addr, length, (unsigned long long)iova, trace_access((int)access))
NUMBER_CALL(int, ibv_fork_init, (void), (), "%s", "")

#define CALL(result, field, ...) result##_CALL(__VA_ARGS__)
#include "names/calls.def"
