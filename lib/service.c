/* SPDX-License-Identifier: BSD-2-Clause */
#include "service.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <verbatim/addrinfo.h>

#include "gai-config.h"
#include "slurp.h"

#define NAME_MOST 255

static bool parse_number(const char *s, size_t len, uint16_t *port)
{
	uint32_t n = 0;

	if (!len)
		return false;
	for (size_t i = 0; i < len; i++) {
		if (s[i] < '0' || s[i] > '9')
			return false;
		n = 10 * n + (uint32_t)(s[i] - '0');
		if (n > UINT16_MAX)
			return false;
	}
	*port = (uint16_t)n;
	return true;
}

bool vbm_service_number(const char *service, uint16_t *port)
{
	const char *s = service;
	uint32_t n = 0, digit;

	while ((digit = (uint32_t)*s - '0') <= 9 && n <= UINT16_MAX) {
		n = 10 * n + digit;
		s++;
	}
	*port = (uint16_t)n;
	return !*s && s != service && n <= UINT16_MAX;
}

static bool same(const char *field, size_t len, const char *word)
{
	return len == strlen(word) && !memcmp(field, word, len);
}

static void note(struct service_ports *found, const char *proto, size_t len,
		 uint16_t port)
{
	if (same(proto, len, "tcp") && !found->has_tcp) {
		found->has_tcp = true;
		found->tcp = port;
	} else if (same(proto, len, "udp") && !found->has_udp) {
		found->has_udp = true;
		found->udp = port;
	}
}

/* NAME PORT/PROTOCOL [ALIAS...] */
static void scan_line(const char *at, const char *end, const char *name,
		      struct service_ports *found)
{
	size_t field_len, spec_len;
	const char *field = vbm_text_field(&at, end, &field_len);
	const char *spec = vbm_text_field(&at, end, &spec_len);
	const char *slash;
	uint16_t port;

	if (!field || !spec)
		return;
	slash = memchr(spec, '/', spec_len);
	if (!slash || !parse_number(spec, (size_t)(slash - spec), &port))
		return;
	do {
		if (same(field, field_len, name)) {
			note(found, slash + 1, (size_t)(spec + spec_len - slash - 1), port);
			return;
		}
		field = vbm_text_field(&at, end, &field_len);
	} while (field);
}

void vbm_service_scan(const char *text, size_t len, const char *name,
		      struct service_ports *found)
{
	const char *end = text + len, *next;

	memset(found, 0, sizeof(*found));
	for (const char *at = text; at < end; at = next) {
		const char *stop = vbm_text_line(at, end, &next);

		scan_line(at, stop, name, found);
	}
}

static int look_up(const struct gai_config *cfg, const char *service,
		   bool datagram, uint16_t *port)
{
	struct service_ports found;
	char *text;
	size_t len;
	int ret = vbm_slurp(cfg->services, &text, &len);

	if (ret == -ENOENT)
		return EAI_NONAME;
	if (ret == -ENOMEM)
		return EAI_MEMORY;
	if (ret < 0) {
		errno = -ret;
		return EAI_SYSTEM;
	}
	vbm_service_scan(text, len, service, &found);
	free(text);
	if (!found.has_tcp && !found.has_udp)
		return EAI_NONAME;
	if (datagram ? !found.has_udp : !found.has_tcp)
		return EAI_SERVICE;
	*port = datagram ? found.udp : found.tcp;
	return 0;
}

int vbm_service_port(const struct gai_config *cfg, const char *service,
		     bool datagram, uint16_t *port)
{
	*port = 0;
	if (!service || vbm_service_number(service, port))
		return 0;
	*port = 0;
	if (!*service || strnlen(service, NAME_MOST + 1) > NAME_MOST)
		return EAI_NONAME;
	return look_up(cfg, service, datagram, port);
}
