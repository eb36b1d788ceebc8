/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_JOB_RUN_DEVICES_H
#define VBM_JOB_RUN_DEVICES_H

#include <verbatim/error.h>

#include "names/device-words.h"

struct fabric;

/*
 * Hosts with devices of different types: what of a plan can run there.
 */
struct variant;

/* Abilities of the devices, by type; the text of a type is asked for once. All zero: nothing has been asked. */
struct devices_can {
	char *of[DEVICE_TYPES_MAX];	/* owned */
	char *together;			/* owned */
};

/*
 * Why the variant cannot run on hosts with the devices @run of this run, or NULL: the kernel lacks a driver, or the steps need a
 * peer whose device speaks the same protocol. The caller frees it.
 */
char *devices_forbid(const struct device_words *run, const struct variant *v);

/*
 * The abilities (names/abilities.h) of the fabric's devices: those that all have, or, for a scenario that says itself which
 * devices its hosts have (@any), those that one has. Borrowed. NULL and @err: a device cannot be asked.
 */
const char *devices_can(struct devices_can *can, struct fabric *fabric, bool any, struct vbm_error *err);
/* Why a device that the variant gives its hosts cannot be used, as that of a provider which this rdma-core lacks; or NULL. */
char *devices_unopened(struct devices_can *can, struct fabric *fabric, const struct variant *v);
void devices_can_fini(struct devices_can *can);

#endif
