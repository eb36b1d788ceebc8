/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_LIB_SERVICE_H
#define VBM_LIB_SERVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct gai_config;

/* Digits only and at most 65535. */
bool vbm_service_number(const char *service, uint16_t *port);

/* What a services database knows of one name. */
struct service_ports {
	bool has_tcp, has_udp;
	uint16_t tcp, udp;
};

/* Look @name, or an alias of that spelling, up in the text of services(5). */
void vbm_service_scan(const char *text, size_t len, const char *name,
		      struct service_ports *found);

/*
 * The port of @service (NULL: 0) for datagrams or streams. 0, EAI_NONAME for a
 * service that does not exist, EAI_SERVICE for one that exists only for the
 * other kind, EAI_MEMORY, or EAI_SYSTEM with errno.
 */
int vbm_service_port(const struct gai_config *cfg, const char *service,
		     bool datagram, uint16_t *port);

#endif
