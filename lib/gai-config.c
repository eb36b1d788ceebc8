/* SPDX-License-Identifier: BSD-2-Clause */
#include "gai-config.h"

const struct gai_config vbm_gai_system = {
	.hosts = "/etc/hosts",
	.services = "/etc/services",
	.resolv = "/etc/resolv.conf",
	.run = "/run",
	.sys = "/sys",
	.acm_ms = 2000,
};
