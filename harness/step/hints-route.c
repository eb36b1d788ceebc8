/* SPDX-License-Identifier: BSD-2-Clause */
#include <endian.h>
#include <string.h>

#include "step/addrinfo.h"

#define PKEY_DEFAULT 0xffff

static int fill_gid(const struct value *item, const char *key, union ibv_gid *gid,
		    struct vbm_error *err)
{
	const char *text = value_get_string(item, key, NULL);

	if (!text)
		return 0;
	return gid_parse(gid, text, err) < 0 ? vbm_wrap(err, "route: %s", key) : 0;
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

int hints_route(const struct value *args, struct hints *h, struct vbm_error *err)
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

const struct param route_params[] = {
	P_STRING("sgid", "source GID, in IPv6 notation or as an IPv4 address; default zeros"),
	P_STRING("dgid", "destination GID, likewise; default zeros"),
	P_U64("service_id", "service id; default 0"),
	P_INT("pkey", 0, 0xffff, "partition key; default 0xffff"),
	{NULL},
};
