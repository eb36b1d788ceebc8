/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_BASE_KERNEL_WORD_H
#define VBM_BASE_KERNEL_WORD_H

/*
 * The value of the word @name of the kernel's command line: "VALUE" of NAME=VALUE, "" of NAME alone,
 * NULL if the word is not there. The caller frees it.
 */
char *kernel_word(const char *name);

#endif
