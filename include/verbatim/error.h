/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VERBATIM_ERROR_H
#define VERBATIM_ERROR_H

#ifdef __cplusplus
extern "C" {
#endif

/*
 * An error, for people. The caller provides the struct, or NULL if it does not need the
 * text. The function that detects the failure fills it. Each header says whether its
 * functions return @code or its negative.
 */
struct vbm_error {
	int code;	/* a positive errno value; written on failure only */
	char msg[512];	/* one line, no newline, always terminated */
};

#ifdef __cplusplus
}
#endif
#endif
