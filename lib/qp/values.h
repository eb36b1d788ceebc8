/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_LIB_QP_VALUES_H
#define VBM_LIB_QP_VALUES_H

#include <stdbool.h>

#include <verbatim/qp.h>

/* Add to the report's text. An item stands after what is there, with "; " between two. */
void vbm_qp_say(struct vbm_qp_report *r, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
void vbm_qp_item(struct vbm_qp_report *r, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * The values of the attributes in @mask: out_of_range and doubtful of the report,
 * and an item of its text for each that has something wrong. With @asked nothing
 * is guessed that the device has been asked for.
 */
void vbm_qp_check_values(struct vbm_qp_report *r, enum ibv_qp_state from,
			 const struct ibv_qp_attr *a, int mask, bool asked);

#endif
