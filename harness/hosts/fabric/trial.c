/* SPDX-License-Identifier: BSD-2-Clause */
#include "fabric/fabric-priv.h"

int fabric_probe_layout(const struct device_words *devices, enum layout *layout,
			struct fabric **trial, struct vbm_error *err)
{
	const struct fabric_options opts = {.hosts = 2, .devices = *devices};
	int ret;

	*trial = NULL;
	ret = layout_guess(devices, opts.hosts, layout, err);
	if (ret < 0 || *layout != LAYOUT_AUTO)
		return ret;
	ret = fabric_new(trial, &opts, err);
	if (ret == 0)
		*layout = fabric_layout(*trial);
	return ret;
}
