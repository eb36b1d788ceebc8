/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_LIB_RESOLVE_DNS_REPLY_H
#define VBM_LIB_RESOLVE_DNS_REPLY_H

#include <stddef.h>
#include <stdint.h>

#include "lib/base/addr.h"

#define DNS_NAME_ROOM 256

/*
 * Read the addresses of @family from a DNS reply: the addresses of the name that was asked
 * for, or of the name at the end of its aliases, which is copied to @canon. Returns 1 when
 * there are addresses, 0 when there are none, -EBADMSG for a malformed reply and -ENOMEM.
 * Pure; @msg may hold any bytes.
 */
int vbm_dns_reply_read(const uint8_t *msg, size_t len, int family,
		       struct addr_list *addrs, char canon[DNS_NAME_ROOM]);

#endif
