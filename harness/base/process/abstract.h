/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_PROCESS_ABSTRACT_H
#define VBM_PROCESS_ABSTRACT_H

#include <sys/socket.h>
#include <sys/un.h>

/*
 * The abstract address of @name; *@len is its length. Such an address has no file. The
 * kernel gives it to one socket of a network namespace at a time, and frees it with the
 * socket. 0, or -ENAMETOOLONG, also for an empty name.
 */
int abstract_address(const char *name, struct sockaddr_un *sa, socklen_t *len);

#endif
