/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_FUZZ_NAMES_STRAY_H
#define VBM_FUZZ_NAMES_STRAY_H

/*
 * Stands in front of a name server, over UDP: each answer goes out as it came,
 * but behind two that nobody may believe, with an address that is in no zone:
 * with a wrong id, and for another name. Runs until the end of the
 * process; each address 127.0.0.N port 53. 0 or a negative errno.
 */
int stray_start(unsigned char at, unsigned char server);

#endif
