/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_TESTS_DESCRIPTORS_H
#define VBM_TESTS_DESCRIPTORS_H

/* How many descriptors this process has open, to be compared with another count. */
int open_descriptors(void);

/* The same for its threads. */
int running_threads(void);

#endif
