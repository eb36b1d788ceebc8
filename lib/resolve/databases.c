/* SPDX-License-Identifier: BSD-2-Clause */
#include "lib/resolve/databases.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include <verbatim/addrinfo.h>

#include "lib/base/addr.h"
#include "lib/base/mem.h"

const struct gai_config vbm_gai_system = {
	.hosts = "/etc/hosts",
	.services = "/etc/services",
	.resolv = "/etc/resolv.conf",
	.run = "/run",
	.sys = "/sys",
	.acm_ms = 2000,
};

#define MOST (64u << 20)

static int read_all(int fd, char **text, size_t *len)
{
	size_t used = 0, room = 4096;
	char *buf = vbm_mem_alloc(room);

	while (buf) {
		ssize_t n = read(fd, buf + used, room - used - 1);
		char *more;

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 || used > MOST) {
			int error = n < 0 ? errno : EFBIG;

			free(buf);
			return -error;
		}
		used += (size_t)n;
		if (!n) {
			buf[used] = '\0';
			*text = buf;
			*len = used;
			return 0;
		}
		if (room - used > 1)
			continue;
		room *= 2;
		more = vbm_mem_resize(buf, room);
		if (!more)
			free(buf);
		buf = more;
	}
	return -ENOMEM;
}

int vbm_slurp(const char *path, char **text, size_t *len)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	int ret;

	if (fd < 0)
		return -errno;
	ret = read_all(fd, text, len);
	close(fd);
	return ret;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f' || !c;
}

const char *vbm_text_field(const char **at, const char *end, size_t *len)
{
	const char *start = *at;
	const char *p;

	while (start < end && is_blank(*start))
		start++;
	for (p = start; p < end && !is_blank(*p); p++)
		;
	*at = p;
	*len = (size_t)(p - start);
	return *len ? start : NULL;
}

const char *vbm_text_line(const char *at, const char *end, const char **next)
{
	const char *newline = memchr(at, '\n', (size_t)(end - at));
	const char *stop = newline ? newline : end;
	const char *comment = memchr(at, '#', (size_t)(stop - at));

	*next = newline ? newline + 1 : end;
	return comment ? comment : stop;
}

/* A dot at the end only says that the name is complete. */
static size_t name_len(const char *name, size_t len)
{
	return len > 1 && name[len - 1] == '.' ? len - 1 : len;
}

static bool same_name(const char *field, size_t field_len, const char *name)
{
	size_t len = name_len(name, strlen(name));

	field_len = name_len(field, field_len);
	return field_len == len && !strncasecmp(field, name, len);
}

static bool read_address(const char *field, size_t len, union addr *a)
{
	char text[128];

	if (len >= sizeof(text))
		return false;
	memcpy(text, field, len);
	text[len] = '\0';
	return vbm_literal_read(text, a) == LITERAL_ADDRESS;
}

/* ADDRESS NAME [ALIAS...] */
static int scan_host(const char *at, const char *end, const char *name,
		     int family, struct hosts_match *match)
{
	size_t len, first_len;
	const char *address = vbm_text_field(&at, end, &len);
	const char *first = vbm_text_field(&at, end, &first_len), *field = first;
	size_t field_len = first_len;
	union addr a;

	while (field && !same_name(field, field_len, name))
		field = vbm_text_field(&at, end, &field_len);
	if (!field || !read_address(address, len, &a))
		return 0;
	if (family != AF_UNSPEC && a.sa.sa_family != family) {
		match->other_family = true;
		return 0;
	}
	if (!match->addrs.count && first_len < sizeof(match->canon)) {
		memcpy(match->canon, first, first_len);
		match->canon[first_len] = '\0';
	}
	return vbm_addr_list_add(&match->addrs, &a);
}

int vbm_hosts_scan(const char *text, size_t len, const char *name, int family,
		   struct hosts_match *match)
{
	const char *end = text + len, *next;
	int ret = 0;

	memset(match, 0, sizeof(*match));
	for (const char *at = text; at < end && !ret; at = next) {
		const char *stop = vbm_text_line(at, end, &next);

		ret = scan_host(at, stop, name, family, match);
	}
	if (ret)
		vbm_hosts_match_clear(match);
	return ret;
}

void vbm_hosts_match_clear(struct hosts_match *match)
{
	vbm_addr_list_clear(&match->addrs);
}

#define NAME_MOST 255

static bool read_port(const char *s, size_t len, uint16_t *port)
{
	uint32_t n = 0;
	size_t i;

	for (i = 0; i < len && s[i] >= '0' && s[i] <= '9' && n <= UINT16_MAX; i++)
		n = 10 * n + (uint32_t)(s[i] - '0');
	*port = (uint16_t)n;
	return len && i == len && n <= UINT16_MAX;
}

bool vbm_service_number(const char *service, uint16_t *port)
{
	const char *s = service;
	unsigned int digit;
	uint32_t n = 0;

	while ((digit = (unsigned int)*s - '0') <= 9 && n <= UINT16_MAX) {
		n = 10 * n + digit;
		s++;
	}
	*port = (uint16_t)n;
	return s > service && !*s && n <= UINT16_MAX;
}

static bool is_same_word(const char *field, size_t len, const char *word)
{
	return len == strlen(word) && !memcmp(field, word, len);
}

static void note_port(struct service_ports *found, const char *proto, size_t len,
		      uint16_t port)
{
	if (is_same_word(proto, len, "tcp") && !found->has_tcp) {
		found->has_tcp = true;
		found->tcp = port;
	} else if (is_same_word(proto, len, "udp") && !found->has_udp) {
		found->has_udp = true;
		found->udp = port;
	}
}

/* NAME PORT/PROTOCOL [ALIAS...] */
static void scan_service(const char *at, const char *end, const char *name,
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
	if (!slash || !read_port(spec, (size_t)(slash - spec), &port))
		return;
	do {
		if (is_same_word(field, field_len, name)) {
			note_port(found, slash + 1, (size_t)(spec + spec_len - slash - 1), port);
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

		scan_service(at, stop, name, found);
	}
}

static int look_up_service(const struct gai_config *cfg, const char *service,
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
	return look_up_service(cfg, service, datagram, port);
}

/* "localhost" and every name below it. */
static bool is_localhost(const char *name)
{
	static const char word[] = "localhost";
	size_t len = strlen(name), want = sizeof(word) - 1;

	if (len && name[len - 1] == '.')
		len--;
	if (len < want || strncasecmp(name + len - want, word, want))
		return false;
	return len == want || name[len - want - 1] == '.';
}

static int add_loopback(struct addr_list *addrs, int family)
{
	union addr a;
	int ret = 0;

	if (family != AF_INET) {
		vbm_addr_set_in6(&a, in6addr_loopback.s6_addr, 0);
		ret = vbm_addr_list_add(addrs, &a);
	}
	if (family != AF_INET6 && !ret) {
		vbm_addr_set_in(&a, INADDR_LOOPBACK, 0);
		ret = vbm_addr_list_add(addrs, &a);
	}
	return ret;
}

static int scan_hosts(const struct gai_config *cfg, const char *name, int family,
		      struct hosts_match *match)
{
	char *text;
	size_t len;
	int ret = vbm_slurp(cfg->hosts, &text, &len);

	if (ret == -ENOENT)
		return 0;
	if (ret < 0)
		return ret;
	ret = vbm_hosts_scan(text, len, name, family, match);
	free(text);
	return ret;
}

int vbm_lookup_local(const struct gai_config *cfg, const char *name, int family,
		     struct addr_list *addrs, char *canon, bool *other_family)
{
	struct hosts_match match = {0};
	int ret = scan_hosts(cfg, name, family, &match);

	if (!ret && !match.addrs.count && is_localhost(name)) {
		ret = add_loopback(&match.addrs, family);
		snprintf(match.canon, sizeof(match.canon), "localhost");
	}
	if (ret) {
		vbm_hosts_match_clear(&match);
		if (ret == -ENOMEM)
			return EAI_MEMORY;
		errno = -ret;
		return EAI_SYSTEM;
	}
	*addrs = match.addrs;
	memcpy(canon, match.canon, sizeof(match.canon));
	*other_family = match.other_family;
	return 0;
}
