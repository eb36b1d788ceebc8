/* SPDX-License-Identifier: BSD-2-Clause */
#include <stddef.h>

#include "call/step-util.h"

const struct step_family *const step_families[] = {
	&family_resolve,
	&family_async,
	&family_dns,
	&family_acm,
	&family_libc,
	&family_device,
	&family_pd,
	&family_cq,
	&family_cq_event,
	&family_mr,
	&family_mw,
	&family_srq,
	&family_qp,
	&family_ah,
	&family_mcast,
	&family_many,
	&family_data,
	&family_batch,
	&family_cm,
	&family_conn,
	&family_cm_option,
	&family_cm_mcast,
	&family_ep,
	&family_event,
	&family_link,
	&family_packet,
	&family_counter,
	&family_advise,
	&family_process,
	&family_program,
	&family_host,
	NULL,
};
