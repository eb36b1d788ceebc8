/* SPDX-License-Identifier: BSD-2-Clause */
#include "coverage/codes.h"

#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "names/consts.h"

/* A set of constants whose codes scenarios should show. */
struct code_group {
	const char *name;
	const struct const_set *set;
	char *(*name_of)(size_t index);	/* the names of a set without entries; NULL: the set has entries */
};

static const struct code_group code_groups[] = {
	{"eai", &const_return, NULL},
	{"errno", &const_errno, NULL},
	{"wc_status", &const_wc_status, NULL},
	{"wc_opcode", &const_wc_opcode, NULL},
	{"async_event", &const_async_event, NULL},
	{"cm_event", &const_cm_event, NULL},
	{"qp_state", &const_qp_state, NULL},
	{"qp_edge", &uses_edge_set, uses_edge_name},
	{"wr_opcode", &const_wr_opcode, NULL},
	{"packet_fault", &uses_crossing_set, uses_crossing_name},
	{"cm_message", &uses_crossing_message_set, uses_crossing_message_name},
	{NULL, NULL, NULL},
};

const struct call_errno call_errnos[] = {
	{"rdma_getaddrinfo", "EINVAL", "GAI-RET-ERRNO"},
	{"rdma_getaddrinfo", "EMFILE", "GAI-RET-SYSTEM"},
	{"rdma_resolve_addrinfo", "EINVAL", "RES-RET-ERR"},
	{"rdma_resolve_addrinfo", "EAFNOSUPPORT", "RES-RET-ERR"},
	{"rdma_resolve_addrinfo", "EPROTOTYPE", "RES-RET-ERR"},
	{"rdma_resolve_addrinfo", "EOPNOTSUPP", "RES-SA-PORT"},
	{"rdma_resolve_addrinfo", "EBUSY", "RES-EVT-ONE"},
	{"rdma_query_addrinfo", "ENOENT", "RES-QUERY"},
	{"ibv_get_device_list", "EPERM", "DEV-LIST-EPERM"},
	{"ibv_get_device_list", "ENOSYS", "DEV-LIST-ENOSYS"},
	{"ibv_get_device_list", "ENOMEM", "DEV-LIST-ENOMEM"},
	{"ibv_open_device", "EMFILE", "DEV-OPEN-FAIL"},
	{"ibv_query_device", "EIO", "DEV-QUERY-ERR"},
	{"ibv_query_port", "EINVAL", "PORT-QUERY-NUM"},
	{"ibv_query_gid", "EINVAL", "GID-RET-ERR"},
	{"ibv_alloc_pd", "ENOMEM", "PD-ALLOC-FAIL"},
	{"ibv_dealloc_pd", "EBUSY", "PD-DEALLOC-ERRVAL"},
	{"ibv_create_cq", "EINVAL", "CQ-RET"},
	{"ibv_destroy_cq", "EBUSY", "CQ-DESTROY-ERRVAL"},
	{"ibv_create_qp", "EINVAL", "DEV-ATTR-MAX-QP-WR"},
	{"ibv_create_qp", "EOPNOTSUPP", "DEV-ATTR-MAX-RAW-ETHY-QP"},
	{"ibv_modify_qp", "EINVAL", "QPS-STATES"},
	{"ibv_modify_qp", "EPERM", "QPS-QKEY-CONTROLLED"},
	{"ibv_resize_cq", "EINVAL", "CQ-RESIZE-ERRVAL"},
	{"ibv_destroy_qp", "EBUSY", "MC-BUSY"},
	{"ibv_attach_mcast", "EINVAL", "MC-ERRVAL"},
	{"ibv_post_recv", "EINVAL", "DATA-POST-STATE"},
	{"ibv_post_recv", "ENOMEM", "DATA-QUEUE-FULL"},
	{"ibv_post_send", "EINVAL", "DATA-INLINE"},
	{"ibv_post_send", "ENOMEM", "DATA-QUEUE-FULL"},
	{"ibv_create_srq", "EINVAL", "SRQ-CREATE-FAIL"},
	{"ibv_modify_srq", "EINVAL", "SRQ-MODIFY-NONE"},
	{"ibv_destroy_srq", "EBUSY", "SRQ-DESTROY-BUSY"},
	{"ibv_post_srq_recv", "EINVAL", "SRQ-POST-BAD"},
	{"ibv_post_srq_recv", "ENOMEM", "SRQ-POST-BAD"},
	{"ibv_reg_mr", "EINVAL", "MR-ACCESS-LOCAL"},
	{"ibv_rereg_mr", "EINVAL", "MR-REREG-INPUT"},
	{"ibv_bind_mw", "EINVAL", "MW-BIND-CALL"},
	{"rdma_bind_addr", "EADDRINUSE", "CM-BIND"},
	{"rdma_connect", "EINVAL", "CM-PRIVATE-DATA"},
	{"rdma_accept", "EINVAL", "CM-ORDER"},
	{"rdma_reject", "EINVAL", "CM-ORDER"},
	{"rdma_create_ep", "EINVAL", "CME-STEP2"},
	{"rdma_create_ep", "EHOSTUNREACH", "CME-RETCHECK"},
	{"rdma_create_ep", "ENETUNREACH", "CME-RETCHECK"},
	{"rdma_create_ep", "ENODEV", "CME-RETCHECK"},
	{"rdma_create_ep", "ETIMEDOUT", "CME-RETCHECK"},
	{"rdma_connect", "ECONNREFUSED", "CME-RETCHECK"},
	{NULL, NULL, NULL},
};

static void add_code(struct codes *out, const struct code_group *g, const char *name, int64_t value,
		     const struct call_errno *e)
{
	GROW(out->item, out->count);
	out->item[out->count++] = (struct code){
		.group = g->name,
		.name = xasprintf("%s%s", g->set->prefix, name),
		.set = g->set,
		.call = e ? e->call : NULL,
		.clause = e ? e->clause : NULL,
		.value = value,
	};
}

static void add_errnos(struct codes *out, const struct code_group *g)
{
	const struct call_errno *e;
	int64_t value;

	for (e = call_errnos; e->call; e++)
		if (const_lookup(g->set, e->name, &value))
			add_code(out, g, e->name, value, e);
}

static void add_named(struct codes *out, const struct code_group *g)
{
	char *name;
	size_t i;

	for (i = 0; (name = g->name_of(i)); i++) {
		add_code(out, g, name, (int64_t)i, NULL);
		free(name);
	}
}

void codes_make(struct codes *out)
{
	const struct code_group *g;
	size_t i;

	*out = (struct codes){0};
	for (g = code_groups; g->name; g++) {
		if (g->set == &const_errno) {
			add_errnos(out, g);
			continue;
		}
		if (g->name_of) {
			add_named(out, g);
			continue;
		}
		for (i = 0; i < g->set->count; i++)
			if (g->set != &const_return || g->set->entry[i].value != 0)
				add_code(out, g, g->set->entry[i].name, g->set->entry[i].value, NULL);
	}
}

void codes_fini(struct codes *codes)
{
	size_t i;

	for (i = 0; i < codes->count; i++)
		free(codes->item[i].name);
	free(codes->item);
	*codes = (struct codes){0};
}

/* @with_section is a call in the form that steps use: "ibv_create_cq(3)". */
static bool is_call(const char *call, const char *with_section)
{
	size_t n = strlen(call);

	return with_section && !strncmp(with_section, call, n) &&
	       (!with_section[n] || with_section[n] == '(');
}

bool code_is(const struct code *code, const struct code_use *use)
{
	/* The number -1 stands for EAI_BADFLAGS and for "see errno", so only a name counts. */
	if (code->set == &const_return && !use->named)
		return false;
	return use->set == code->set && use->value == code->value &&
	       (!code->call || is_call(code->call, use->call));
}
