/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_TESTS_GAI_HELP_H
#define VBM_TESTS_GAI_HELP_H

#include <verbatim/addrinfo.h>

/* An IPv4 or IPv6 address and port. The last few results stay valid in static buffers. */
struct sockaddr *sock(const char *ip, int port);

/* "192.0.2.1:7471", "[::1]:7471", "gid.../sid", or "-"; also in static buffers. */
const char *show(const struct sockaddr *sa);

/* "dst1 dst2 ...", or the sources of a passive list. */
const char *show_list(const struct rdma_addrinfo *list);

/*
 * Check the properties of every result: an absent part has neither a length nor a pointer,
 * and an entry's addresses are of its family. Aborts otherwise.
 */
void check_list(const struct rdma_addrinfo *list);

#endif
