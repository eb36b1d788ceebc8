/* SPDX-License-Identifier: BSD-2-Clause */
#include "call/addrinfo.h"

#include <endian.h>
#include <string.h>

#include "base/text.h"
#include "names/consts.h"

#define PKEY_DEFAULT 0xffff
#define CONNECT_SHOWN 256

static int addrinfo_release(struct object *o)
{
	o->target->freeaddrinfo(o->ai);
	return 0;
}

static int hint_address(const struct value *args, const char *key, struct sockaddr_storage *sa,
			struct sockaddr **at, socklen_t *len, struct vbm_error *err)
{
	const char *text = value_get_string(args, key, NULL);

	if (!text)
		return 0;
	if (step_address_parse(sa, text, 0, err) < 0)
		return vbm_wrap(err, "%s", key);
	*at = (struct sockaddr *)sa;
	*len = sa->ss_family == AF_INET ? sizeof(struct sockaddr_in) : sizeof(struct sockaddr_in6);
	return 0;
}

static int fill_gid(const struct value *item, const char *key, union ibv_gid *gid,
		    struct vbm_error *err)
{
	const char *text = value_get_string(item, key, NULL);

	if (!text)
		return 0;
	return step_gid_parse(gid, text, err) < 0 ? vbm_wrap(err, "route: %s", key) : 0;
}

static int fill_path(const struct value *item, struct ibv_path_record *path,
		     struct vbm_error *err)
{
	path->service_id = htobe64((uint64_t)value_get_int(item, "service_id", 0));
	path->pkey = htobe16((uint16_t)value_get_int(item, "pkey", PKEY_DEFAULT));
	if (fill_gid(item, "sgid", &path->sgid, err) < 0 ||
	    fill_gid(item, "dgid", &path->dgid, err) < 0)
		return -err->code;
	return 0;
}

static int hints_route(const struct value *args, struct hints *h, struct vbm_error *err)
{
	bool data = value_get_bool(args, "route_data", false);
	const struct value *list = value_get(args, "route");
	size_t i;
	int ret;

	if (list && list->list.count > HINTS_ROUTES_MAX)
		return vbm_fail(err, E2BIG, "route: more than %d paths", HINTS_ROUTES_MAX);
	for (i = 0; list && i < list->list.count; i++) {
		if (data)
			h->route.data[i].flags = IBV_PATH_FLAG_GMP | IBV_PATH_FLAG_PRIMARY |
						 IBV_PATH_FLAG_BIDIRECTIONAL;
		ret = fill_path(list->list.item[i],
				data ? &h->route.data[i].path : &h->route.record[i], err);
		if (ret < 0)
			return ret;
	}
	if (list) {
		h->ai.ai_route = &h->route;
		h->ai.ai_route_len = list->list.count * (data ? sizeof(h->route.data[0])
							      : sizeof(h->route.record[0]));
	}
	h->ai.ai_route_len = (size_t)value_get_int(args, "route_len", (int64_t)h->ai.ai_route_len);
	return 0;
}

int hints_fill(const struct value *args, struct hints *h, struct vbm_error *err)
{
	memset(h, 0, sizeof(*h));
	h->ai.ai_flags = (int)value_get_int(args, "flags", 0);
	h->ai.ai_family = (int)value_get_int(args, "family", 0);
	h->ai.ai_qp_type = (int)value_get_int(args, "qp_type", 0);
	h->ai.ai_port_space = (int)value_get_int(args, "port_space", 0);
	if (hint_address(args, "src_addr", &h->src, &h->ai.ai_src_addr, &h->ai.ai_src_len, err) < 0 ||
	    hint_address(args, "dst_addr", &h->dst, &h->ai.ai_dst_addr, &h->ai.ai_dst_len, err) < 0)
		return -err->code;
	h->ai.ai_src_len = (socklen_t)value_get_int(args, "src_len", h->ai.ai_src_len);
	h->ai.ai_dst_len = (socklen_t)value_get_int(args, "dst_len", h->ai.ai_dst_len);
	return hints_route(args, h, err);
}

struct value *addrinfo_text_or_null(const char *s)
{
	return s ? value_string(s) : value_null();
}

static void path_numbers(struct value *v, const struct ibv_path_record *p)
{
	uint32_t flow = be32toh(p->flowlabel_hoplimit);

	value_set_int(v, "service_id", (int64_t)be64toh(p->service_id));
	value_set_int(v, "dlid", be16toh(p->dlid));
	value_set_int(v, "slid", be16toh(p->slid));
	value_set_int(v, "flow_label", flow >> 8 & 0xfffff);
	value_set_int(v, "hop_limit", flow & 0xff);
	value_set_int(v, "tclass", p->tclass);
	value_set_bool(v, "reversible", p->reversible_numpath & 0x80);
	value_set_int(v, "num_path", p->reversible_numpath & 0x7f);
	value_set_int(v, "qos_class", be16toh(p->qosclass_sl) >> 4);
	value_set_int(v, "sl", be16toh(p->qosclass_sl) & 0xf);
	value_set_int(v, "mtu", p->mtu);
	value_set_int(v, "rate", p->rate);
	value_set_int(v, "lifetime", p->packetlifetime);
	value_set_int(v, "preference", p->preference);
}

static struct value *path_to_value(const struct ibv_path_data *d)
{
	struct value *v = value_map();

	value_set_int(v, "flags", d->flags);
	value_set(v, "sgid", step_gid_to_value(&d->path.sgid));
	value_set(v, "dgid", step_gid_to_value(&d->path.dgid));
	value_set_int(v, "pkey", be16toh(d->path.pkey));
	path_numbers(v, &d->path);
	return v;
}

static struct value *connect_to_value(const struct rdma_addrinfo *a)
{
	const uint8_t *bytes = a->ai_connect;
	auto_text struct text t = {0};
	size_t i;

	if (!bytes || !a->ai_connect_len)
		return value_null();
	for (i = 0; i < a->ai_connect_len && i < CONNECT_SHOWN; i++)
		text_addf(&t, "%02x", bytes[i]);
	return value_string(t.s);
}

/* Adds "route" and "connect" of an entry. Only whole elements of the route are read. */
static void route_tell(struct value *v, const struct rdma_addrinfo *a)
{
	struct value *list = value_list();
	struct ibv_path_data d;
	size_t i;

	for (i = 0; a->ai_route && i < a->ai_route_len / sizeof(d); i++) {
		memcpy(&d, (const char *)a->ai_route + i * sizeof(d), sizeof(d));
		value_append(list, path_to_value(&d));
	}
	value_set(v, "route", list);
	value_set(v, "connect", connect_to_value(a));
}

static uint32_t scope_id(const struct sockaddr *sa, socklen_t len)
{
	struct sockaddr_in6 in6;

	if (!sa || sa->sa_family != AF_INET6 || len < sizeof(in6))
		return 0;
	memcpy(&in6, sa, sizeof(in6));
	return in6.sin6_scope_id;
}

static struct value *entry_to_value(const struct rdma_addrinfo *a)
{
	struct value *v = value_map();

	value_set_int(v, "flags", a->ai_flags);
	value_set_int(v, "family", a->ai_family);
	value_set_int(v, "qp_type", a->ai_qp_type);
	value_set_int(v, "port_space", a->ai_port_space);
	value_set_int(v, "src_len", a->ai_src_len);
	value_set(v, "src_addr", step_address_to_value(a->ai_src_addr, a->ai_src_len));
	value_set_int(v, "src_port", step_address_port(a->ai_src_addr, a->ai_src_len));
	value_set_int(v, "src_scope_id", scope_id(a->ai_src_addr, a->ai_src_len));
	value_set_int(v, "dst_len", a->ai_dst_len);
	value_set(v, "dst_addr", step_address_to_value(a->ai_dst_addr, a->ai_dst_len));
	value_set_int(v, "dst_port", step_address_port(a->ai_dst_addr, a->ai_dst_len));
	value_set_int(v, "dst_scope_id", scope_id(a->ai_dst_addr, a->ai_dst_len));
	value_set(v, "src_canonname", addrinfo_text_or_null(a->ai_src_canonname));
	value_set(v, "dst_canonname", addrinfo_text_or_null(a->ai_dst_canonname));
	value_set_int(v, "route_len", (int64_t)a->ai_route_len);
	value_set_int(v, "connect_len", (int64_t)a->ai_connect_len);
	route_tell(v, a);
	value_set_bool(v, "absent_is_null", (a->ai_src_len || !a->ai_src_addr) &&
		       (a->ai_dst_len || !a->ai_dst_addr) && (a->ai_route_len || !a->ai_route) &&
		       (a->ai_connect_len || !a->ai_connect));
	return v;
}

void addrinfo_keep(struct step_ctx *ctx, struct rdma_addrinfo *ai, struct value *result)
{
	struct value *list = value_list();
	struct rdma_addrinfo *a;

	for (a = ai; a; a = a->ai_next)
		value_append(list, entry_to_value(a));
	value_set_int(result, "count", (int64_t)list->list.count);
	value_set(result, "results", list);
	step_keep(ctx, ai, OBJECT_ADDRINFO, addrinfo_release);
}

const struct param addrinfo_route_params[] = {
	P_STRING("sgid", "source GID, in IPv6 notation or as an IPv4 address; default zeros"),
	P_STRING("dgid", "destination GID, in the same forms; default zeros"),
	P_U64("service_id", "service id; default 0"),
	P_INT("pkey", 0, 0xffff, "partition key; default 0xffff"),
	{NULL},
};
static const struct field route_fields[] = {
	F_INT("flags", "flags of the path"),
	F_STRING("sgid", "GID of the source"),
	F_STRING("dgid", "GID of the destination"),
	F_INT("pkey", "partition key"),
	F_U64("service_id", "service id"),
	F_INT("dlid", "LID of the destination"),
	F_INT("slid", "LID of the source"),
	F_INT("flow_label", "flow label"),
	F_INT("hop_limit", "hop limit"),
	F_INT("tclass", "traffic class"),
	F_BOOL("reversible", "whether the path also works in the other direction"),
	F_INT("num_path", "number of paths"),
	F_INT("qos_class", "class of the quality of service"),
	F_INT("sl", "service level"),
	F_INT("mtu", "code of the path MTU, with its selector in the upper two bits"),
	F_INT("rate", "code of the rate, with its selector in the upper two bits"),
	F_INT("lifetime", "code of the packet lifetime, with its selector in the upper two bits"),
	F_INT("preference", "preference among several paths"),
	{NULL},
};
const struct field addrinfo_entry_fields[] = {
	F_FLAGS("flags", &const_rai_flags, "ai_flags"),
	F_CONST("family", &const_family, "ai_family"),
	F_CONST("qp_type", &const_qp_type, "ai_qp_type"),
	F_CONST("port_space", &const_port_space, "ai_port_space"),
	F_INT("src_len", "ai_src_len in bytes"),
	F_STRING("src_addr", "source IP address (a GID for AF_IB); null when there is none"),
	F_INT("src_port", "port in ai_src_addr; 0 when there is none"),
	F_INT("src_scope_id", "sin6_scope_id of ai_src_addr, an index of an interface; 0 when there is none"),
	F_INT("dst_len", "ai_dst_len in bytes"),
	F_STRING("dst_addr", "destination IP address (a GID for AF_IB); null when there is none"),
	F_INT("dst_port", "port in ai_dst_addr; 0 when there is none"),
	F_INT("dst_scope_id", "sin6_scope_id of ai_dst_addr; 0 when there is none"),
	F_STRING("src_canonname", "ai_src_canonname or null"),
	F_STRING("dst_canonname", "ai_dst_canonname or null"),
	F_INT("route_len", "ai_route_len in bytes"),
	F_INT("connect_len", "ai_connect_len in bytes"),
	F_LIST("route", route_fields, "the struct ibv_path_data of ai_route"),
	F_STRING("connect", "the bytes of ai_connect in hexadecimal, or null"),
	F_BOOL("absent_is_null", "whether every length of 0 comes with a NULL pointer"),
	{NULL},
};
