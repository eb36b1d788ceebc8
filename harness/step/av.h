/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_STEP_AV_H
#define VBM_STEP_AV_H

#include "step/step-util.h"

/* The address vector's parameters, shared by modify_qp and create_ah. */
#define P_AV                                                                  \
	P_STRING("dest_gid", "GID of the peer's port, or its IP address"),    \
	P_INT("gid_index", 0, 255, "own GID index; default: the host's for the family of dest_gid"), \
	P_BOOL("is_global", "whether the GRH is used; default true"),         \
	P_INT("dlid", 0, 65535, "LID of the peer; default 0"),                \
	P_INT("sl", 0, 255, "service level; default 0"),                      \
	P_INT("hop_limit", 0, 255, "hop limit; default 64"),                  \
	P_INT("traffic_class", 0, 255, "traffic class; default 0"),           \
	P_INT("flow_label", 0, 0xfffff, "flow label; default 0"),             \
	P_INT("av_port", 0, 255, "port number in the address vector; default: the host's port")

/* Whether @args write any of them. */
bool av_written(const struct value *args);

int av_from_args(const struct step_ctx *ctx, const struct value *args,
		 struct ibv_ah_attr *ah, struct vbm_error *err);

#endif
