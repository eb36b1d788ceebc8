/* SPDX-License-Identifier: BSD-2-Clause */
#include "step/av.h"

#include <string.h>

static const struct param av_params[] = {P_AV, {NULL}};

bool av_written(const struct value *args)
{
	const struct param *p;

	for (p = av_params; p->name; p++)
		if (has(args, p->name))
			return true;
	return false;
}

static bool is_mapped(const union ibv_gid *gid)
{
	static const uint8_t prefix[12] = {[10] = 0xff, [11] = 0xff};

	return memcmp(gid->raw, prefix, sizeof(prefix)) == 0;
}

int av_from_args(const struct step_ctx *ctx, const struct value *args,
		 struct ibv_ah_attr *ah, struct vbm_error *err)
{
	const char *gid = value_get_string(args, "dest_gid", NULL);
	int index = ctx->host->gid_index4;

	memset(ah, 0, sizeof(*ah));
	if (gid) {
		if (gid_parse(&ah->grh.dgid, gid, err) < 0)
			return vbm_wrap(err, "dest_gid");
		index = is_mapped(&ah->grh.dgid) ? ctx->host->gid_index4 : ctx->host->gid_index6;
	}
	ah->is_global = value_get_bool(args, "is_global", true);
	ah->dlid = (uint16_t)value_get_int(args, "dlid", 0);
	ah->sl = (uint8_t)value_get_int(args, "sl", 0);
	ah->port_num = (uint8_t)value_get_int(args, "av_port", ctx->host->port);
	ah->grh.sgid_index = (uint8_t)value_get_int(args, "gid_index", index);
	ah->grh.hop_limit = (uint8_t)value_get_int(args, "hop_limit", 64);
	ah->grh.traffic_class = (uint8_t)value_get_int(args, "traffic_class", 0);
	ah->grh.flow_label = (uint32_t)value_get_int(args, "flow_label", 0);
	return 0;
}
