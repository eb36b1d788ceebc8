/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_TESTS_DESCRIPTORS_H
#define VBM_TESTS_DESCRIPTORS_H

/* The number of open descriptors of this process, for comparison with another call. */
int open_descriptors(void);

/* The number of threads. */
int running_threads(void);

#endif
