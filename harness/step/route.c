/* SPDX-License-Identifier: BSD-2-Clause */
#include "step/route.h"

#include <endian.h>
#include <string.h>

#include <infiniband/sa.h>

#include "base/text.h"

#define CONNECT_SHOWN 256

static struct value *path_to_value(const struct ibv_path_data *d)
{
	struct value *v = value_map();

	value_set_int(v, "flags", d->flags);
	value_set(v, "sgid", gid_to_value(&d->path.sgid));
	value_set(v, "dgid", gid_to_value(&d->path.dgid));
	value_set_int(v, "pkey", be16toh(d->path.pkey));
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

void route_tell(struct value *v, const struct rdma_addrinfo *a)
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

const struct field route_fields[] = {
	F_INT("flags", "flags of the path"),
	F_STRING("sgid", "GID of the source"),
	F_STRING("dgid", "GID of the destination"),
	F_INT("pkey", "partition key"),
	{NULL},
};
