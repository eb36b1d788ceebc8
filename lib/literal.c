/* SPDX-License-Identifier: BSD-2-Clause */
#include "literal.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <net/if.h>
#include <stdlib.h>
#include <string.h>

#define NAME_MAX_LEN 253
#define LABEL_MAX_LEN 63

/* The index of an interface that exists; 0 when there is none. */
static unsigned int scope_index(const char *scope, bool by_name)
{
	char name[IF_NAMESIZE];
	unsigned long n;
	char *end;

	if (by_name && strlen(scope) < IF_NAMESIZE && if_nametoindex(scope))
		return if_nametoindex(scope);
	if (!isdigit((unsigned char)*scope) || strlen(scope) > 10)
		return 0;
	n = strtoul(scope, &end, 10);
	if (*end || n > UINT32_MAX || !if_indextoname((unsigned int)n, name))
		return 0;
	return (unsigned int)n;
}

static enum literal read_in6(const char *node, union addr *out)
{
	char text[INET6_ADDRSTRLEN];
	const char *percent = strchr(node, '%');
	size_t len = percent ? (size_t)(percent - node) : strlen(node);
	struct in6_addr in6;

	if (len >= sizeof(text))
		return LITERAL_NEITHER;
	memcpy(text, node, len);
	text[len] = '\0';
	if (inet_pton(AF_INET6, text, &in6) != 1)
		return LITERAL_NEITHER;
	vbm_addr_set_in6(out, in6.s6_addr, 0);
	if (percent) {
		bool by_name = IN6_IS_ADDR_LINKLOCAL(&in6) ||
			       IN6_IS_ADDR_MC_LINKLOCAL(&in6);

		out->in6.sin6_scope_id = scope_index(percent + 1, by_name);
		if (!out->in6.sin6_scope_id)
			return LITERAL_NEITHER;
	}
	return LITERAL_ADDRESS;
}

/* No host's name ends in a number (RFC 3696, section 2). */
static bool is_number(const char *label, size_t len)
{
	size_t i = 0;

	if (len > 1 && label[0] == '0' && (label[1] | 0x20) == 'x') {
		for (i = 2; i < len && isxdigit((unsigned char)label[i]); i++)
			;
		return i == len;
	}
	while (i < len && isdigit((unsigned char)label[i]))
		i++;
	return i == len;
}

static bool label_is_sound(const char *label, size_t len)
{
	if (!len || len > LABEL_MAX_LEN)
		return false;
	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)label[i];

		if (c <= ' ' || c >= 0x7f || c == '\\')
			return false;
	}
	return true;
}

static bool name_is_sound(const char *node)
{
	size_t len = strnlen(node, NAME_MAX_LEN + 2);
	const char *label = node, *last = node;
	size_t last_len = 0;

	if (len && node[len - 1] == '.')
		len--;
	if (!len || len > NAME_MAX_LEN)
		return false;
	while (label <= node + len) {
		const char *dot = memchr(label, '.', (size_t)(node + len - label));

		last = label;
		last_len = (size_t)((dot ? dot : node + len) - label);
		if (!label_is_sound(label, last_len))
			return false;
		if (!dot)
			break;
		label = dot + 1;
	}
	return !is_number(last, last_len);
}

size_t vbm_literal_in(const char *text, uint32_t *in)
{
	const char *s = text;
	uint32_t bytes = 0;

	for (int part = 0; part < 4; part++) {
		unsigned int n = (unsigned int)*s - '0', digit;

		if (n > 9)
			return 0;
		while ((digit = (unsigned int)*++s - '0') <= 9) {
			if (!n)
				return 0;
			n = 10 * n + digit;
			if (n > 255)
				return 0;
		}
		bytes = bytes << 8 | n;
		if (*s != (part < 3 ? '.' : '\0'))
			return 0;
		s++;
	}
	*in = bytes;
	return (size_t)(s - text) - 1;
}

enum literal vbm_literal_read(const char *node, union addr *out)
{
	uint32_t in;

	out->sa.sa_family = AF_UNSPEC;
	if (vbm_literal_in(node, &in)) {
		vbm_addr_set_in(out, in, 0);
		return LITERAL_ADDRESS;
	}
	if (strnlen(node, NAME_MAX_LEN + 2) > NAME_MAX_LEN + 1)
		return LITERAL_NEITHER;
	if (strchr(node, ':'))
		return read_in6(node, out);
	return name_is_sound(node) ? LITERAL_NAME : LITERAL_NEITHER;
}
