/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_COVERAGE_LACKING_H
#define VBM_COVERAGE_LACKING_H

#include "plan/plan.h"

/*
 * The condition "call=..." of @v that a target with the calls @calls does not meet, or
 * NULL. Borrowed. If there are several, the one that is hardest to meet.
 */
const char *lacking_variant(const struct variant *v, const char *calls);

/* What would meet the condition: "needs a newer rdma-core (60 has rdma_resolve_addrinfo)". */
const char *lacking_remedy(const char *need);

#endif
