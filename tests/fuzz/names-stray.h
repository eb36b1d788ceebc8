/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_FUZZ_NAMES_STRAY_H
#define VBM_FUZZ_NAMES_STRAY_H

/*
 * A UDP proxy in front of a name server. Before each real answer it sends two wrong ones,
 * with an address that is in no zone: one with a wrong id, one for another name. Nobody
 * may accept them. It runs until the process ends. Each address is 127.0.0.N, port 53.
 * Returns 0 or a negative errno.
 */
int stray_start(unsigned char at, unsigned char server);

#endif
