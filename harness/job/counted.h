/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_EXECUTE_COUNTED_H
#define VBM_EXECUTE_COUNTED_H

/* The variable that names the folder for what was counted since a kernel's start. */
#define COUNTED_FOLDER "VERBATIM_COUNTED"

/*
 * What a kernel built for gcov counted so far goes to the folder that init made for
 * it. Nothing happens where there is neither.
 */
void counted_keep(void);

#endif
