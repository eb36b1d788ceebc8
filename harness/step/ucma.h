/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_STEP_UCMA_H
#define VBM_STEP_UCMA_H

#include <stdbool.h>

#define UCMA_DEVICE "/dev/infiniband/rdma_cm"

/*
 * Whether the kernel's side of rdma_cm, behind @device, takes events that a
 * program writes itself. librdmacm's rdma_resolve_addrinfo() is made of them
 * and fails without (errno -1) on kernels before 6.18; the ABI's version is the
 * same. True where nobody can be asked: then the call says itself what is wrong.
 */
bool ucma_takes_events(const char *device);

#endif
