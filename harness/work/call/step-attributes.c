/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <string.h>
#include <unistd.h>
#include <infiniband/verbs.h>

#include "call/step-util.h"
#include "names/consts.h"

/*
 * The attributes of a device, read with ibv_query_device(3), which is in the library, and with
 * ibv_query_device_ex(3), which calls the provider from the headers.
 */

/* Unsigned numbers of 64 bits. */
#define DEVICE_U64S(X)                                                        \
	X(max_mr_size, "largest contiguous block that can be registered, bytes") \
	X(page_size_cap, "supported page sizes, one bit each")
#define DEVICE_INTS(X)                                                        \
	X(vendor_id, "IEEE number of the vendor")                             \
	X(vendor_part_id, "the vendor's part number")                         \
	X(hw_ver, "hardware version")                                         \
	X(max_qp, "how many queue pairs there can be")                        \
	X(max_qp_wr, "outstanding work requests on a queue")                  \
	X(device_cap_flags, "capability bits of the device")                  \
	X(max_sge, "scatter/gather entries of a request")                     \
	X(max_sge_rd, "scatter/gather entries of an RDMA read")               \
	X(max_cq, "how many completion queues there can be")                  \
	X(max_cqe, "entries of a completion queue")                           \
	X(max_mr, "how many memory regions there can be")                     \
	X(max_pd, "how many protection domains there can be")                 \
	X(max_qp_rd_atom, "RDMA reads and atomics that a queue pair can answer at the same time") \
	X(max_ee_rd_atom, "the same for an end-to-end context")               \
	X(max_res_rd_atom, "resources of the device as target of reads and atomics") \
	X(max_qp_init_rd_atom, "RDMA reads and atomics that a queue pair can start at the same time") \
	X(max_ee_init_rd_atom, "the same for an end-to-end context")          \
	X(max_ee, "how many end-to-end contexts there can be")                \
	X(max_rdd, "how many reliable datagram domains there can be")         \
	X(max_mw, "how many memory windows there can be")                     \
	X(max_raw_ipv6_qp, "how many raw IPv6 queue pairs there can be")      \
	X(max_raw_ethy_qp, "how many raw Ethernet queue pairs there can be")  \
	X(max_mcast_grp, "how many multicast groups there can be")            \
	X(max_mcast_qp_attach, "queue pairs in one multicast group")          \
	X(max_total_mcast_qp_attach, "queue pairs in all multicast groups")   \
	X(max_ah, "how many address handles there can be")                    \
	X(max_fmr, "how many fast memory regions there can be")               \
	X(max_map_per_fmr, "mappings of a fast memory region")                \
	X(max_srq, "how many shared receive queues there can be")             \
	X(max_srq_wr, "outstanding work requests on a shared receive queue")  \
	X(max_srq_sge, "scatter entries of a request on a shared receive queue") \
	X(max_pkeys, "how many partitions there can be")                      \
	X(local_ca_ack_delay, "acknowledgement delay: N means 4.096 us * 2^N") \
	X(phys_port_cnt, "how many ports the device has")

static void tell_attributes(struct value *result, struct ibv_device_attr *attr)
{
	value_set_bool(result, "fw_ver_terminated",
		       memchr(attr->fw_ver, '\0', sizeof(attr->fw_ver)) != NULL);
	attr->fw_ver[sizeof(attr->fw_ver) - 1] = '\0';
	value_set_string(result, "fw_ver", attr->fw_ver);
	value_set(result, "node_guid", device_guid_to_value(attr->node_guid));
	value_set(result, "sys_image_guid", device_guid_to_value(attr->sys_image_guid));
	value_set_int(result, "atomic_cap", attr->atomic_cap);
	value_set_bool(result, "rnr_nak", attr->device_cap_flags & IBV_DEVICE_RC_RNR_NAK_GEN);
	value_set_bool(result, "own_page_size",
		       attr->page_size_cap & (uint64_t)sysconf(_SC_PAGESIZE));
#define PUT(name, doc) value_set_int(result, #name, (int64_t)attr->name);
	DEVICE_U64S(PUT)
	DEVICE_INTS(PUT)
#undef PUT
}

STEP(run_query_device)
{
	struct ibv_context *c = arg_handle(ctx, args, "ctx", OBJECT_CONTEXT, err);
	struct ibv_device_attr attr;
	int ret;

	if (!c)
		return -err->code;
	memset(&attr, 0xaa, sizeof(attr));
	ret = ctx->target->query_device(c, &attr);
	put_errval(result, ret);
	if (ret == 0)
		tell_attributes(result, &attr);
	return 0;
}

STEP(run_query_device_ex)
{
	struct ibv_context *c = arg_handle(ctx, args, "ctx", OBJECT_CONTEXT, err);
	struct ibv_device_attr_ex attr;
	int ret;

	if (!c)
		return -err->code;
	/* Not the filling of query_device: what neither call fills in must differ. */
	memset(&attr, 0x55, sizeof(attr));
	ret = ibv_query_device_ex(c, NULL, &attr);
	put_errval(result, ret);
	if (ret)
		return 0;
	tell_attributes(result, &attr.orig_attr);
	value_set_int(result, "device_cap_flags_ex", (int64_t)attr.device_cap_flags_ex);
	value_set_int(result, "phys_port_cnt_ex", attr.phys_port_cnt_ex);
	return 0;
}

static const struct param params[] = {
	P_CTX,
	{NULL},
};

#define FIELD_OF(name, doc) F_INT(#name, doc),
#define U64_OF(name, doc) F_U64(#name, doc),
#define ATTRIBUTES                                                            \
	F_ERRVAL,                                                             \
	F_STRING("fw_ver", "firmware version"),                               \
	F_BOOL("fw_ver_terminated", "whether fw_ver ends with a zero byte within its 64 bytes"), \
	F_STRING("node_guid", "GUID of the node as four groups of hex digits"), \
	F_STRING("sys_image_guid", "GUID of the system image, in the same form"), \
	F_CONST("atomic_cap", &const_atomic_cap, "level of atomic support"),  \
	F_BOOL("own_page_size", "whether page_size_cap contains the page size of the machine"), \
	F_BOOL("rnr_nak", "whether device_cap_flags has IBV_DEVICE_RC_RNR_NAK_GEN"), \
	DEVICE_U64S(U64_OF)                                                   \
	DEVICE_INTS(FIELD_OF)

static const struct field query_device_fields[] = {
	ATTRIBUTES
	{NULL},
};
static const struct field query_device_ex_fields[] = {
	ATTRIBUTES
	F_U64("device_cap_flags_ex", "capability bits of the device, all 64"),
	F_INT("phys_port_cnt_ex", "how many ports the device has"),
	{NULL},
};

static const struct step_kind steps[] = {
	{.name = "query_device", .call = "ibv_query_device(3)",
	 .doc = "Read the attributes of an open device.", .params = params,
	 .fields = query_device_fields, .query = true, .run = run_query_device},
	{.name = "query_device_ex", .call = "ibv_query_device_ex(3)",
	 .doc = "Read the attributes of an open device with the newer call.", .params = params,
	 .fields = query_device_ex_fields, .query = true, .run = run_query_device_ex},
	{NULL},
};

const struct step_family family_attributes = {
	"attributes", "Attributes of a device.", steps, .only_objects = true
};
