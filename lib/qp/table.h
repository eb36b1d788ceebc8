/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_LIB_QP_TABLE_H
#define VBM_LIB_QP_TABLE_H

#include <verbatim/qp.h>

/* "INIT"; never NULL. */
const char *vbm_qp_state_name(enum ibv_qp_state state);

/* "RC", or NULL for a type that the table does not have. */
const char *vbm_qp_type_name(enum ibv_qp_type qp_type);

#endif
