/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_TESTS_BENCH_PEAK_H
#define VBM_TESTS_BENCH_PEAK_H

#include <sys/types.h>

/* The most memory that the process has had at a time (VmHWM), in KiB; 0 when it has ended. */
long peak_kb(pid_t pid);

#endif
