/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_LIB_DNS_REPLY_H
#define VBM_LIB_DNS_REPLY_H

#include <stddef.h>
#include <stdint.h>

#include "lib/base/addr.h"

#define DNS_NAME_ROOM 256

/*
 * Read the addresses of @family out of a DNS reply: those of the name that was
 * asked for, or of the name its aliases end in, which is put into @canon.
 * Returns 1 when there are some, 0 when there are none, -EBADMSG for a reply
 * that makes no sense and -ENOMEM. Pure; any bytes will do.
 */
int vbm_dns_reply_read(const uint8_t *msg, size_t len, int family,
		       struct addr_list *addrs, char canon[DNS_NAME_ROOM]);

#endif
