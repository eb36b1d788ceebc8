/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_FABRIC_FAR_PRIV_H
#define VBM_FABRIC_FAR_PRIV_H

/* For far.c, which asks stations, and far-fabric.c, which connects to them. */
#include <stdio.h>

#include "base/value.h"
#include "machine-line/distant.h"
#include "fabric/fabric.h"

#define ASK_MS 10000

struct far {
	int machines;
	bool kernels;	/* they are kernels of places of this run */
	bool may_disturb;
	struct {
		struct distant *distant;	/* owned */
		struct value *described;	/* owned; what its station said, or NULL */
	} at[FABRIC_HOSTS_MAX];
};

static inline struct value *far_question(const char *name)
{
	struct value *v = value_map();

	value_set_string(v, "ask", name);
	return v;
}

static inline void far_copy_text(char *to, size_t size, const struct value *from, const char *key)
{
	snprintf(to, size, "%.*s", (int)size - 1, value_get_string(from, key, ""));
}

#endif
