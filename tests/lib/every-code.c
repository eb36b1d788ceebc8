/* SPDX-License-Identifier: BSD-2-Clause */
/* Each code on the page must exist, and all must differ. */
#include <verbatim/addrinfo.h>

#include <stddef.h>

_Static_assert(RAI_PASSIVE == 1 && RAI_NUMERICHOST == 2 && RAI_NOROUTE == 4 &&
	       RAI_FAMILY == 8 && RAI_SA == 16 && RAI_DNS == 32, "flags");
_Static_assert(RDMA_CM_EVENT_ADDRINFO_RESOLVED == 16 &&
	       RDMA_CM_EVENT_ADDRINFO_ERROR == 17, "events");
_Static_assert(sizeof(void *) != 8 || (sizeof(struct rdma_addrinfo) == 96 &&
	       offsetof(struct rdma_addrinfo, ai_src_addr) == 24 &&
	       offsetof(struct rdma_addrinfo, ai_route_len) == 56 &&
	       offsetof(struct rdma_addrinfo, ai_next) == 88), "layout");

int is_documented(int code);
int is_documented(int code)
{
	switch (code) {
	case EAI_ADDRFAMILY:
	case EAI_AGAIN:
	case EAI_BADFLAGS:
	case EAI_FAIL:
	case EAI_FAMILY:
	case EAI_MEMORY:
	case EAI_NODATA:
	case EAI_NONAME:
	case EAI_SERVICE:
	case EAI_QPTYPE:
	case EAI_SYSTEM:
		return 1;
	}
	return 0;
}
