/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_FABRIC_FOUND_H
#define VBM_FABRIC_FOUND_H

#include <verbatim/error.h>

struct fabric;
struct value;

/*
 * The fabric of one host that is this machine, for a station. Nothing is made: the device, its
 * interface and its addresses are those that are there. @wanted has "name", and may have
 * "device", "interface", "ip4" and "ip6". While the fabric lives, no other run of Verbatim on this machine
 * can take the device: -EBUSY.
 */
int found_fabric(struct fabric **out, const struct value *wanted, struct vbm_error *err);

/* The interface and the device were away, and have come back: waits until they can be used as before. */
int found_again(struct fabric *fabric, struct vbm_error *err);

/* What the runner has to know about the machine: far.c reads it. The caller frees it. */
int found_describe(struct fabric *fabric, struct value **out, struct vbm_error *err);

#endif
