/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: include/verbatim/addrinfo.h include/verbatim/resolve.h */
/*
 * If this compiles, the promises of the pages about names, types and numbers hold. Each
 * block names the clause that it proves; scenarios/coverage.tsv points here.
 */
#include <verbatim/addrinfo.h>
#include <verbatim/qp.h>
#include <verbatim/resolve.h>

#include "cmocka_all.h"

#include <string.h>
#include <infiniband/sa.h>
#include <infiniband/verbs.h>

#include "base/xalloc.h"

/* A member is at its offset, and has exactly its type. */
#define MEMBER(s, m, type, at)                                                \
	_Static_assert(__builtin_types_compatible_p(__typeof__(((s *)0)->m), type) && \
		       offsetof(s, m) == (at), #s "." #m)
/* A function, or a call of one, has its type. */
#define IS(expr, ...)                                                         \
	_Static_assert(__builtin_types_compatible_p(__typeof__(expr), __VA_ARGS__), #expr)
#define VALUE(name, n) _Static_assert((name) == (n), #name)

/* GAI-SIG: the system's prototype, and the same in the library. */
IS(rdma_getaddrinfo, int(const char *, const char *, const struct rdma_addrinfo *,
			 struct rdma_addrinfo **));
IS(vbm_getaddrinfo, __typeof__(rdma_getaddrinfo));
IS(vbm_freeaddrinfo, __typeof__(rdma_freeaddrinfo));

/* RES-SIG: an id, node, service and hints; the last three are only read. */
IS(vbm_resolve_addrinfo, int(struct rdma_cm_id *, const char *, const char *,
			     const struct rdma_addrinfo *));

IS(vbm_query_addrinfo, int(struct rdma_cm_id *, struct rdma_addrinfo **));
IS(vbm_create_id, __typeof__(rdma_create_id));
IS(vbm_destroy_id, __typeof__(rdma_destroy_id));
IS(vbm_migrate_id, __typeof__(rdma_migrate_id));
IS(vbm_get_cm_event, __typeof__(rdma_get_cm_event));
IS(vbm_ack_cm_event, __typeof__(rdma_ack_cm_event));
IS(vbm_event_str, __typeof__(rdma_event_str));

/* RAI-LAYOUT */
#ifdef __LP64__
MEMBER(struct rdma_addrinfo, ai_flags, int, 0);
MEMBER(struct rdma_addrinfo, ai_family, int, 4);
MEMBER(struct rdma_addrinfo, ai_qp_type, int, 8);
MEMBER(struct rdma_addrinfo, ai_port_space, int, 12);
MEMBER(struct rdma_addrinfo, ai_src_len, socklen_t, 16);
MEMBER(struct rdma_addrinfo, ai_dst_len, socklen_t, 20);
MEMBER(struct rdma_addrinfo, ai_src_addr, struct sockaddr *, 24);
MEMBER(struct rdma_addrinfo, ai_dst_addr, struct sockaddr *, 32);
MEMBER(struct rdma_addrinfo, ai_src_canonname, char *, 40);
MEMBER(struct rdma_addrinfo, ai_dst_canonname, char *, 48);
MEMBER(struct rdma_addrinfo, ai_route_len, size_t, 56);
MEMBER(struct rdma_addrinfo, ai_route, void *, 64);
MEMBER(struct rdma_addrinfo, ai_connect_len, size_t, 72);
MEMBER(struct rdma_addrinfo, ai_connect, void *, 80);
MEMBER(struct rdma_addrinfo, ai_next, struct rdma_addrinfo *, 88);
_Static_assert(sizeof(struct rdma_addrinfo) == 96, "struct rdma_addrinfo");
#endif

/* RAI-FLAG-VALUES */
VALUE(RAI_PASSIVE, 1);
VALUE(RAI_NUMERICHOST, 2);
VALUE(RAI_NOROUTE, 4);
VALUE(RAI_FAMILY, 8);

/* QPS-SIG */
IS(vbm_modify_qp_to_rts, int(struct vbm_qp *));

/* DEV-SIG, DEV-FREE-VOID */
IS(ibv_get_device_list, struct ibv_device **(int *));
IS(ibv_free_device_list, void(struct ibv_device **));
IS(ibv_open_device, struct ibv_context *(struct ibv_device *));
IS(ibv_close_device, int(struct ibv_context *));
IS(ibv_query_device, int(struct ibv_context *, struct ibv_device_attr *));

/* DEV-ATTR-LAYOUT: the forty members; GUIDs are 64 bits in network byte order. */
MEMBER(struct ibv_device_attr, fw_ver, char[64], 0);
MEMBER(struct ibv_device_attr, node_guid, __be64, 64);
MEMBER(struct ibv_device_attr, sys_image_guid, __be64, 72);
MEMBER(struct ibv_device_attr, max_mr_size, uint64_t, 80);
MEMBER(struct ibv_device_attr, page_size_cap, uint64_t, 88);
MEMBER(struct ibv_device_attr, vendor_id, uint32_t, 96);
MEMBER(struct ibv_device_attr, vendor_part_id, uint32_t, 100);
MEMBER(struct ibv_device_attr, hw_ver, uint32_t, 104);
MEMBER(struct ibv_device_attr, max_qp, int, 108);
MEMBER(struct ibv_device_attr, max_qp_wr, int, 112);
MEMBER(struct ibv_device_attr, device_cap_flags, unsigned int, 116);
MEMBER(struct ibv_device_attr, max_sge, int, 120);
MEMBER(struct ibv_device_attr, max_sge_rd, int, 124);
MEMBER(struct ibv_device_attr, max_cq, int, 128);
MEMBER(struct ibv_device_attr, max_cqe, int, 132);
MEMBER(struct ibv_device_attr, max_mr, int, 136);
MEMBER(struct ibv_device_attr, max_pd, int, 140);
MEMBER(struct ibv_device_attr, max_qp_rd_atom, int, 144);
MEMBER(struct ibv_device_attr, max_ee_rd_atom, int, 148);
MEMBER(struct ibv_device_attr, max_res_rd_atom, int, 152);
MEMBER(struct ibv_device_attr, max_qp_init_rd_atom, int, 156);
MEMBER(struct ibv_device_attr, max_ee_init_rd_atom, int, 160);
MEMBER(struct ibv_device_attr, atomic_cap, enum ibv_atomic_cap, 164);
MEMBER(struct ibv_device_attr, max_ee, int, 168);
MEMBER(struct ibv_device_attr, max_rdd, int, 172);
MEMBER(struct ibv_device_attr, max_mw, int, 176);
MEMBER(struct ibv_device_attr, max_raw_ipv6_qp, int, 180);
MEMBER(struct ibv_device_attr, max_raw_ethy_qp, int, 184);
MEMBER(struct ibv_device_attr, max_mcast_grp, int, 188);
MEMBER(struct ibv_device_attr, max_mcast_qp_attach, int, 192);
MEMBER(struct ibv_device_attr, max_total_mcast_qp_attach, int, 196);
MEMBER(struct ibv_device_attr, max_ah, int, 200);
MEMBER(struct ibv_device_attr, max_fmr, int, 204);
MEMBER(struct ibv_device_attr, max_map_per_fmr, int, 208);
MEMBER(struct ibv_device_attr, max_srq, int, 212);
MEMBER(struct ibv_device_attr, max_srq_wr, int, 216);
MEMBER(struct ibv_device_attr, max_srq_sge, int, 220);
MEMBER(struct ibv_device_attr, max_pkeys, uint16_t, 224);
MEMBER(struct ibv_device_attr, local_ca_ack_delay, uint8_t, 226);
MEMBER(struct ibv_device_attr, phys_port_cnt, uint8_t, 227);
_Static_assert(sizeof(struct ibv_device_attr) == 232, "struct ibv_device_attr");

/* DEV-ATOMIC-NONE, DEV-ATOMIC-GLOB */
VALUE(IBV_ATOMIC_NONE, 0);
VALUE(IBV_ATOMIC_HCA, 1);
VALUE(IBV_ATOMIC_GLOB, 2);

/* PORT-SIG: a macro hides the function, so this checks a call. */
IS(ibv_query_port((struct ibv_context *)0, (uint8_t)1, (struct ibv_port_attr *)0), int);

/* PORT-LAYOUT: 23 members, the last only in headers that have it. */
MEMBER(struct ibv_port_attr, state, enum ibv_port_state, 0);
MEMBER(struct ibv_port_attr, max_mtu, enum ibv_mtu, 4);
MEMBER(struct ibv_port_attr, active_mtu, enum ibv_mtu, 8);
MEMBER(struct ibv_port_attr, gid_tbl_len, int, 12);
MEMBER(struct ibv_port_attr, port_cap_flags, uint32_t, 16);
MEMBER(struct ibv_port_attr, max_msg_sz, uint32_t, 20);
MEMBER(struct ibv_port_attr, bad_pkey_cntr, uint32_t, 24);
MEMBER(struct ibv_port_attr, qkey_viol_cntr, uint32_t, 28);
MEMBER(struct ibv_port_attr, pkey_tbl_len, uint16_t, 32);
MEMBER(struct ibv_port_attr, lid, uint16_t, 34);
MEMBER(struct ibv_port_attr, sm_lid, uint16_t, 36);
MEMBER(struct ibv_port_attr, lmc, uint8_t, 38);
MEMBER(struct ibv_port_attr, max_vl_num, uint8_t, 39);
MEMBER(struct ibv_port_attr, sm_sl, uint8_t, 40);
MEMBER(struct ibv_port_attr, subnet_timeout, uint8_t, 41);
MEMBER(struct ibv_port_attr, init_type_reply, uint8_t, 42);
MEMBER(struct ibv_port_attr, active_width, uint8_t, 43);
MEMBER(struct ibv_port_attr, active_speed, uint8_t, 44);
MEMBER(struct ibv_port_attr, phys_state, uint8_t, 45);
MEMBER(struct ibv_port_attr, link_layer, uint8_t, 46);
MEMBER(struct ibv_port_attr, flags, uint8_t, 47);
MEMBER(struct ibv_port_attr, port_cap_flags2, uint16_t, 48);
#ifdef HAVE_STRUCT_IBV_PORT_ATTR_ACTIVE_SPEED_EX
MEMBER(struct ibv_port_attr, active_speed_ex, uint32_t, 52);
#endif

/* PORT-ST-NOP, with the values before and after it */
VALUE(IBV_PORT_NOP, 0);
VALUE(IBV_PORT_DOWN, 1);
VALUE(IBV_PORT_INIT, 2);
VALUE(IBV_PORT_ARMED, 3);
VALUE(IBV_PORT_ACTIVE, 4);
VALUE(IBV_PORT_ACTIVE_DEFER, 5);
VALUE(IBV_MTU_256, 1);
VALUE(IBV_MTU_512, 2);
VALUE(IBV_MTU_1024, 3);
VALUE(IBV_MTU_2048, 4);
VALUE(IBV_MTU_4096, 5);

/* PORT-LL-UNSPEC, with the values before and after it */
VALUE(IBV_LINK_LAYER_UNSPECIFIED, 0);
VALUE(IBV_LINK_LAYER_INFINIBAND, 1);
VALUE(IBV_LINK_LAYER_ETHERNET, 2);

/* GID-SIG */
IS(ibv_query_gid, int(struct ibv_context *, uint8_t, int, union ibv_gid *));

/* PD-SIG */
IS(ibv_alloc_pd, struct ibv_pd *(struct ibv_context *));
IS(ibv_dealloc_pd, int(struct ibv_pd *));

/* CQ-SIG */
IS(ibv_create_cq, struct ibv_cq *(struct ibv_context *, int, void *,
				  struct ibv_comp_channel *, int));
IS(ibv_destroy_cq, int(struct ibv_cq *));

/* Routes are arrays of these. */
_Static_assert(sizeof(struct ibv_path_record) == 64, "struct ibv_path_record");
_Static_assert(sizeof(struct ibv_path_data) == 72, "struct ibv_path_data");

/* GAI-RET-QPTYPE-DEF: the name works in a switch, and has its number. */
static const char *branch(int code)
{
	switch (code) {
	case EAI_QPTYPE:
		return "EAI_QPTYPE";
	case EAI_SYSTEM:
		return "EAI_SYSTEM";
	default:
		return "other";
	}
}

VALUE(EAI_QPTYPE, EAI_SOCKTYPE);

TEST(test_static__qptype_is_a_name)
{
	assert_string_equal(branch(EAI_SOCKTYPE), "EAI_QPTYPE");
	assert_string_equal(branch(EAI_SYSTEM), "EAI_SYSTEM");
}

/* GAI-CODES: eleven names. None of them is 0, and no two are the same. */
TEST(test_static__codes_are_distinct)
{
	static const int code[] = {
		EAI_ADDRFAMILY, EAI_AGAIN, EAI_BADFLAGS, EAI_FAIL, EAI_FAMILY, EAI_MEMORY,
		EAI_NODATA, EAI_NONAME, EAI_SERVICE, EAI_QPTYPE, EAI_SYSTEM,
	};
	size_t i, k;

	assert_int_equal(ARRAY_SIZE(code), 11);
	for (i = 0; i < ARRAY_SIZE(code); i++) {
		assert_int_not_equal(code[i], 0);
		for (k = 0; k < i; k++)
			assert_int_not_equal(code[i], code[k]);
	}
}

/* GAI-SEEALSO: linking this needs all of these functions. */
TEST(test_static__the_calls_beside_it_exist)
{
	static void *const call[] = {
		(void *)rdma_create_id, (void *)rdma_resolve_route, (void *)rdma_connect,
		(void *)rdma_create_qp, (void *)rdma_bind_addr, (void *)rdma_create_ep,
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(call); i++)
		assert_non_null(call[i]);
}
