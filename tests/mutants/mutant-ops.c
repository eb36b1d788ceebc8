/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/mutants/mutant.h"

/* What headers call through the context. One provider has one set of functions. */
static int (*next_poll_cq)(struct ibv_cq *, int, struct ibv_wc *);
static int (*next_query_port)(struct ibv_context *, uint8_t, struct ibv_port_attr *, size_t);

static const struct mutant_member wc_members[] = {
	MEMBER_ADD("wc-vendor-err", struct ibv_wc, vendor_err, 0x77),
	MEMBER_ADD("wc-slid", struct ibv_wc, slid, 0x77),
	MEMBER_ADD("wc-sl", struct ibv_wc, sl, 7),
	MEMBER_ADD("wc-dlid-path-bits", struct ibv_wc, dlid_path_bits, 7),
	MEMBER_ADD("wc-pkey-index", struct ibv_wc, pkey_index, 7),
};

static int poll_cq(struct ibv_cq *cq, int n, struct ibv_wc *wc)
{
	int i, got = next_poll_cq(cq, n, wc);

	for (i = 0; i < got; i++)
		MUTANT_MEMBERS(&wc[i], wc_members);
	return got;
}

/* "port-MEMBER": one more than the port says. */
#define PORT(member) MEMBER_ADD("port-" #member, struct ibv_port_attr, member, 1)

static const struct mutant_member port_members[] = {
	PORT(max_mtu),
	PORT(active_mtu),
	PORT(gid_tbl_len),
	PORT(port_cap_flags),
	PORT(pkey_tbl_len),
	PORT(lid),
	PORT(active_width),
	PORT(active_speed),
	PORT(phys_state),
	PORT(link_layer),
	PORT(flags),
	PORT(state),
	MEMBER("port-sm-lid", struct ibv_port_attr, sm_lid, 0xaaaa),
	MEMBER("port-lmc", struct ibv_port_attr, lmc, 0x7),
	MEMBER("port-sm-sl", struct ibv_port_attr, sm_sl, 0xa),
	MEMBER("port-subnet-timeout", struct ibv_port_attr, subnet_timeout, 0x1a),
	MEMBER("port-init-type-reply", struct ibv_port_attr, init_type_reply, 0xa),
	MEMBER("port-max-vl-num", struct ibv_port_attr, max_vl_num, 0xa),
	MEMBER("port-cap-flags2", struct ibv_port_attr, port_cap_flags2, 0x1234),
};

static int query_port(struct ibv_context *context, uint8_t port, struct ibv_port_attr *attr,
		      size_t size)
{
	int ret = next_query_port(context, port, attr, size);

	if (ret == 0)
		MUTANT_MEMBERS(attr, port_members);
	return ret;
}

void mutant_context(struct ibv_context *context)
{
	struct verbs_context *v = context ? verbs_get_ctx(context) : NULL;

	if (context && context->ops.poll_cq != poll_cq) {
		next_poll_cq = context->ops.poll_cq;
		context->ops.poll_cq = poll_cq;
	}
	if (v && v->query_port != query_port) {
		next_query_port = v->query_port;
		v->query_port = query_port;
	}
}
