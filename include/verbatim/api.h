/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VERBATIM_API_H
#define VERBATIM_API_H

#define VBM_API __attribute__((visibility("default")))

#endif
