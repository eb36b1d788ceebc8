/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_PROCESS_ABSTRACT_H
#define VBM_PROCESS_ABSTRACT_H

#include <sys/socket.h>
#include <sys/un.h>

/*
 * The abstract address of @name, whose length is *@len: no file of it is anywhere,
 * the kernel gives it to one socket of a network namespace at a time, and frees it
 * by itself. 0, or -ENAMETOOLONG, also of an empty name.
 */
int abstract_address(const char *name, struct sockaddr_un *sa, socklen_t *len);

#endif
