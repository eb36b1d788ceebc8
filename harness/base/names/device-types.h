/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_NAMES_DEVICE_TYPES_H
#define VBM_NAMES_DEVICE_TYPES_H

#include <stdbool.h>
#include <stddef.h>

#include <verbatim/error.h>

/*
 * The drivers that make RDMA devices on network interfaces. The table has their names and the
 * files that they need; harness/hosts/fabric/device.c has what the fabric does for each.
 */
struct device_type {
	const char *name;	/* of "rdma link add ... type NAME"; a value of --device */
	const char *doc;	/* "RoCE v2 in software" */
	const char *module;	/* "rdma_rxe" */
	const char *function;	/* of the kernel; /proc/kallsyms lists it if the driver is there */
	const char *option;	/* of the kernel's configuration, "CONFIG_RDMA_RXE" */
	const char *provider;	/* the provider of libibverbs: "rxe" of librxe-rdmav34.so and rxe.driver */
	bool by_cm;		/* rdma_cm alone connects its queue pairs */
	const char *first_need;	/* a module that it asks for only when it makes a device; NULL: none */
	const char *can;	/* the abilities (abilities.h) with the newest kernel that the suite knows */
};

/* At least as many as there are types, for arrays with an entry for each. */
#define DEVICE_TYPES_MAX 4

/* NULL: no type has this name. */
const struct device_type *device_type_find(const char *name);

/* The type whose kernel module or provider is the layer of a finding ("rdma_rxe", "librxe"), or NULL. */
const struct device_type *device_type_of_layer(const char *layer);

/* The names, with the default first; NULL behind the last one. */
const char *device_type_name(size_t i);

/* The types in the order of their names. */
const struct device_type *device_type_nth(size_t i);

/* The type for callers that were given none. */
const struct device_type *device_type_default(void);

/* @type, or the default for NULL. */
const struct device_type *device_type_or_default(const struct device_type *type);

/* Finds the type; -EINVAL, and a list of the names, if there is none. */
int device_type_parse(const char *name, const struct device_type **type, struct vbm_error *err);

#endif
