/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_GUEST_TSC_H
#define VBM_GUEST_TSC_H

/*
 * The frequency of this machine's time stamp counter in kHz, measured in 10 ms; 0 if
 * there is none, or if other programs interrupt every measurement.
 */
long tsc_khz(void);

#endif
