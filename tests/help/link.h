/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_TESTS_LINK_H
#define VBM_TESTS_LINK_H

#include <stdbool.h>

/* Set an interface up or down; print a comment of TAP if that fails. */
void set_link(const char *netdev, bool up);

#endif
