/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_COVERAGE_LACKING_H
#define VBM_COVERAGE_LACKING_H

#include "plan/plan.h"

struct facts;

/*
 * The condition of @v about a call or about devices that @facts do not meet, or NULL. Only facts that are
 * set count. Borrowed. If there are several, the one that is hardest to meet.
 */
const char *lacking_variant(const struct variant *v, const struct facts *facts);

/*
 * A remedy for the condition: "needs a newer rdma-core (60 has rdma_resolve_addrinfo)"; "needs UD queue pairs".
 * The caller frees it.
 */
char *lacking_remedy(const char *need);

#endif
