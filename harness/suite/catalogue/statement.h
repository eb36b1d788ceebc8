/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_CATALOGUE_STATEMENT_H
#define VBM_CATALOGUE_STATEMENT_H

#include <stddef.h>

/*
 * The compliance statements of the InfiniBand Architecture Specification have numbers. "C9-88" must hold for each
 * device, "o10-37.2.30" for each that has the optional function. The chapter stands before the dash: "oA19-14" is a
 * statement of annex A19. This program knows the numbers and no word of the statements.
 */

/* The length of the chapter or annex, which begins at @number[1]; 0: the @len bytes are no number. */
size_t statement_chapter(const char *number, size_t len);

#endif
