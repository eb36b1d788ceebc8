/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_JOB_COUNTED_H
#define VBM_JOB_COUNTED_H

/* The variable that names the folder for the counts of a kernel built for gcov. */
#define COUNTED_FOLDER "VERBATIM_COUNTED"

/*
 * Writes the counts of a kernel built for gcov to the folder that init made for them.
 * Does nothing on other kernels, or without the folder.
 */
void counted_keep(void);

#endif
