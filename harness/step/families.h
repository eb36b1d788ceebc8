/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_STEP_FAMILIES_H
#define VBM_STEP_FAMILIES_H

#include "step/step.h"

/* One for each step-NAME.c; listed in step-table.c. */
extern const struct step_family family_resolve, family_async, family_dns, family_acm,
	family_libc, family_device, family_pd, family_cq, family_mr, family_qp, family_ah,
	family_data, family_cm, family_conn, family_ep, family_host;

#endif
