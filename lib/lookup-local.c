/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <verbatim/addrinfo.h>

#include "gai-config.h"
#include "hosts.h"
#include "lookup.h"
#include "slurp.h"

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
