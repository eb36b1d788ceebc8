/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_BASE_SANITIZER_H
#define VBM_BASE_SANITIZER_H

/*
 * Whether this program was built with the address sanitizer, whose memory does not count
 * towards the limits of the process.
 */
#ifndef __has_feature
#define __has_feature(x) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || __has_feature(address_sanitizer)
#define SANITIZER "address"
#else
#define SANITIZER "none"
#endif

#endif
