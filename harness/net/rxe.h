/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_NET_RXE_H
#define VBM_NET_RXE_H

#include <stdbool.h>

/* Whether the running kernel has rdma_rxe, built in or as a loaded module. */
bool rxe_is_there(void);

#endif
