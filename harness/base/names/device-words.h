/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_NAMES_DEVICE_WORDS_H
#define VBM_NAMES_DEVICE_WORDS_H

#include <stdbool.h>
#include <stddef.h>

#include <verbatim/error.h>

#include "names/device-types.h"

/*
 * The types of the devices of a fabric's hosts, as --device and the key "device" of a scenario's fabric name
 * them: one type for all hosts ("siw"), or one for each ("a=rxe,b=siw"), where "a=rxe+siw" gives host a two
 * devices on its interface, in this order. A host that is not named has the default type. Pure.
 */
#define DEVICE_HOSTS 26	/* hosts a to z can be named */

struct device_pair {
	const struct device_type *first;	/* NULL: the default */
	const struct device_type *second;	/* NULL: the host has one device */
};

/* All zero: every host has a device of the default type. */
struct device_words {
	struct device_pair rest;	/* of each host that is not named */
	struct device_pair host[DEVICE_HOSTS];
	int named;			/* hosts up to the last one that is named; 0: no host is */
};

/* -EINVAL: @err says which word is wrong, and where it begins. */
int device_words_read(struct device_words *out, const char *text, struct vbm_error *err);

/* Adds one host: "a", and "rxe" or "rxe+siw" (@len characters). -EINVAL and @err. */
int device_words_give(struct device_words *out, const char *host, const char *types, size_t len, struct vbm_error *err);

/* -EINVAL and @err: the words name a host that is none of the first @hosts. */
int device_words_fit(const struct device_words *w, int hosts, struct vbm_error *err);

/* The types of host @host; @first is never NULL. */
struct device_pair device_words_of(const struct device_words *w, int host);

/* Whether one of the first @hosts hosts has a device of this type. */
bool device_words_have(const struct device_words *w, int hosts, const struct device_type *type);

/* The types that the first @hosts hosts have, each once, separated by blanks: "rxe siw". The caller frees it. */
char *device_words_types(const struct device_words *w, int hosts);

/* Whether the queue pairs of the first device of one of these hosts can be connected by rdma_cm alone. */
bool device_words_by_cm(const struct device_words *w, int hosts);

/* Whether a host has two devices. */
bool device_words_second(const struct device_words *w);

/* The words again, for the first @hosts hosts: "siw" if all have one device of one type. The caller frees it. */
char *device_words_text(const struct device_words *w, int hosts);

#endif
