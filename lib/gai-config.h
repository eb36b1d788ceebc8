/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_LIB_GAI_CONFIG_H
#define VBM_LIB_GAI_CONFIG_H

#include <stdint.h>

/*
 * Where resolution finds the world. The public calls use vbm_gai_system; tests
 * bring their own. Strings are borrowed and outlive every use.
 */
struct gai_config {
	const char *hosts;	/* hosts(5) */
	const char *services;	/* services(5) */
	const char *resolv;	/* resolv.conf(5) */
	const char *run;	/* where ibacm keeps its socket or port file */
	const char *sys;	/* where sysfs is mounted */
	uint16_t dns_port;	/* of every name server; 0: 53 */
	int acm_ms;		/* how long a path service may take, in all */
};

extern const struct gai_config vbm_gai_system;

#endif
