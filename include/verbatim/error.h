/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VERBATIM_ERROR_H
#define VERBATIM_ERROR_H

#ifdef __cplusplus
extern "C" {
#endif

/*
 * What went wrong, for people. The caller provides it (on the stack, or NULL
 * when the text is of no use); a function that fails fills it where the
 * failure is seen. What it returns then, @code or its negative, its header says.
 */
struct vbm_error {
	int code;	/* a positive errno value; written on failure only */
	char msg[512];	/* one line, no newline, always terminated */
};

#ifdef __cplusplus
}
#endif
#endif
