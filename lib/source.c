/* SPDX-License-Identifier: BSD-2-Clause */
#include "source.h"

#include <string.h>
#include <unistd.h>

#include "gai-config.h"
#include "gids.h"

bool vbm_source_by_route(const union addr *dst, union addr *src)
{
	socklen_t len = sizeof(*src);
	bool found = false;
	int fd;

	memset(src, 0, sizeof(*src));
	if (dst->sa.sa_family != AF_INET && dst->sa.sa_family != AF_INET6)
		return false;
	fd = socket(dst->sa.sa_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return false;
	if (!connect(fd, &dst->sa, addr_len(dst)) && !getsockname(fd, &src->sa, &len)) {
		vbm_addr_set_service(src, 0, 0);
		found = true;
	} else {
		src->sa.sa_family = AF_UNSPEC;
	}
	close(fd);
	return found;
}

bool vbm_source_discover(const struct gai_config *cfg, const union addr *dst,
			 union addr *src)
{
	if (vbm_source_by_route(dst, src) && vbm_gids_have(cfg->sys, src))
		return true;
	src->sa.sa_family = AF_UNSPEC;
	return false;
}
