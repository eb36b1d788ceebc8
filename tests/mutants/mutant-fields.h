/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_TESTS_MUTANT_FIELDS_H
#define VBM_TESTS_MUTANT_FIELDS_H

#include "tests/mutants/mutant.h"

/* The members that mutants name. A member that is missing is one line in mutant-fields.c. */
extern const struct mutant_field
	mutant_device_attr[], mutant_port_attr[], mutant_qp_attr[], mutant_qp_init_attr[], mutant_srq_attr[],
	mutant_srq_init_attr[], mutant_ah_attr[], mutant_wc[], mutant_send_wr[], mutant_sge[], mutant_recv_wr[],
	mutant_second_sge[], mutant_second_send_wr[], mutant_qp_init_attr_ex[], mutant_grh[], mutant_async_event[], mutant_mr[], mutant_mw[], mutant_mw_bind[], mutant_cq[], mutant_qp[], mutant_srq[],
	mutant_context_struct[], mutant_gid[], mutant_conn_param[], mutant_cm_event[], mutant_addrinfo[],
	mutant_path[], mutant_cm_id[], mutant_id_addresses[], mutant_address[];

#endif
