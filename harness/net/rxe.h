/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_NET_RXE_H
#define VBM_NET_RXE_H

#include <stdbool.h>

/* Whether the running kernel has rdma_rxe: as a module that is loaded, or built in. */
bool rxe_is_there(void);

#endif
