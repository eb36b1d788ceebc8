/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_MACHINES_KEEP_H
#define VBM_MACHINES_KEEP_H

#include <verbatim/error.h>

struct fabric;

/*
 * For a station: scenarios may change its machine, whose fabric found_fabric() has made. Before the first change of a
 * scenario, keep_machine() writes the state of the interface and of the device to the undo journal of the machine.
 * keep_put_back() puts the machine back, and so do fabric_free() and a sweep. Calls after the first do nothing.
 */
int keep_machine(struct fabric *fabric, struct vbm_error *err);
/* After it: the next step adds this address, or a neighbour with it. */
int keep_added_address(struct fabric *fabric, const char *address, struct vbm_error *err);
int keep_added_neighbour(struct fabric *fabric, const char *address, struct vbm_error *err);

/* Also waits until the device can reach others. The positions of its GIDs may be others then. */
int keep_put_back(struct fabric *fabric, struct vbm_error *err);

#endif
