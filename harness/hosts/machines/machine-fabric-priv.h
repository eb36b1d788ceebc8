/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_MACHINES_MACHINE_FABRIC_PRIV_H
#define VBM_MACHINES_MACHINE_FABRIC_PRIV_H

/* For machine-answers.c, which asks stations, and machine-fabric.c, which connects to them. */
#include <stdio.h>

#include "base/value.h"
#include "machine-line/machine-line.h"
#include "fabric/fabric-priv.h"

#define ASK_MS 10000

/* machine-answers.c: what fabric.h asks, asked of stations. */
extern const struct host_ops machines_answer;

struct machines {
	int machines;
	bool kernels;	/* they are kernels of places of this run */
	bool may_disturb;
	struct {
		struct machine_line *there;	/* owned */
		struct value *described;	/* owned; what its station said, or NULL */
	} at[FABRIC_HOSTS_MAX];
};

static inline struct value *machine_question(const char *name)
{
	struct value *v = value_map();

	value_set_string(v, "ask", name);
	return v;
}

static inline void machine_copy_text(char *to, size_t size, const struct value *from, const char *key)
{
	snprintf(to, size, "%.*s", (int)size - 1, value_get_string(from, key, ""));
}

#endif
