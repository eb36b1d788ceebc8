/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: lib/resolve/resolvconf.c lib/resolve/databases.c lib/resolve/gid-table.c */
/*
 * The texts that resolution reads: hosts(5), services(5) and resolv.conf(5). The first
 * line is the node, the second one the service.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "lib/resolve/gid-table.h"
#include "lib/resolve/databases.h"
#include "lib/base/addr.h"
#include "lib/resolve/resolvconf.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char *cut_line(char **rest)
{
	char *line = *rest, *end = strchr(line, '\n');

	*rest = end ? end + 1 : line + strlen(line);
	if (end)
		*end = '\0';
	return line;
}

static void read_hosts(const char *text, size_t len, const char *node)
{
	static const int families[] = {AF_UNSPEC, AF_INET, AF_INET6};
	struct hosts_match match;

	for (int i = 0; i < 3; i++) {
		if (vbm_hosts_scan(text, len, node, families[i], &match))
			abort();
		vbm_hosts_match_clear(&match);
	}
}

static void read_resolv_conf(const char *text, size_t len, const char *node)
{
	struct resolv_conf conf;
	char name[520];
	size_t n = 0;

	vbm_resolv_parse(&conf, text, len);
	if (conf.servers > RESOLV_SERVERS || conf.searches > RESOLV_SEARCH)
		abort();
	while (strlen(node) < 255 && vbm_resolv_candidate(&conf, node, n, name, sizeof(name)))
		if (++n > RESOLV_SEARCH + 1)
			abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1), *rest = text, *node, *service;
	struct service_ports found;
	uint8_t gid[16];
	union addr a;
	uint16_t port;

	memcpy(text, data, size);
	text[size] = '\0';
	node = cut_line(&rest);
	service = cut_line(&rest);
	vbm_literal_read(node, &a);
	vbm_service_number(service, &port);
	vbm_gid_from_text(node, gid);
	/* Not strlen(), because the files may contain zero bytes. */
	size -= (size_t)(rest - text);
	vbm_service_scan(rest, size, service, &found);
	read_hosts(rest, size, node);
	read_resolv_conf(rest, size, node);
	free(text);
	return 0;
}
