/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_LIB_QP_VALUES_H
#define VBM_LIB_QP_VALUES_H

#include <stdbool.h>

#include <verbatim/qp.h>

/*
 * Append to the text of the report. vbm_qp_item() puts "; " before its item if the text is
 * not empty.
 */
void vbm_qp_say(struct vbm_qp_report *r, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
void vbm_qp_item(struct vbm_qp_report *r, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * Check the values of the attributes in @mask: sets out_of_range and doubtful, and adds an
 * item to the text for each mistake. @asked: the device was asked as well, so this function
 * does not guess values that the device knows.
 */
void vbm_qp_check_values(struct vbm_qp_report *r, enum ibv_qp_state from,
			 const struct ibv_qp_attr *a, int mask, bool asked);

#endif
