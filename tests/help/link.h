/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_TESTS_LINK_H
#define VBM_TESTS_LINK_H

#include <stdbool.h>

/* Put an interface up or down; says so, as a comment of TAP, when it stays. */
void set_link(const char *netdev, bool up);

#endif
