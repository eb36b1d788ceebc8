/* SPDX-License-Identifier: BSD-2-Clause */
#include "hosts.h"

#include <string.h>
#include <strings.h>

#include "literal.h"
#include "slurp.h"

/* A trailing dot only says that the name is complete. */
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
static int scan_line(const char *at, const char *end, const char *name,
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

		ret = scan_line(at, stop, name, family, match);
	}
	if (ret)
		vbm_hosts_match_clear(match);
	return ret;
}

void vbm_hosts_match_clear(struct hosts_match *match)
{
	vbm_addr_list_clear(&match->addrs);
}
