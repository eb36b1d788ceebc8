/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_TESTS_POINTS_H
#define VBM_TESTS_POINTS_H

#include <stdbool.h>

/* For programs that print TAP: print a point, at once. */
void ok(bool good, const char *what);

/* Where it is set: what the points are about now. ok() prints it before the name of the point. */
extern const char *(*points_about)(void);

/* The program cannot go on. die_errno() adds the text of errno. */
_Noreturn void die(const char *what);
_Noreturn void die_errno(const char *what);

/* Print the number of points, as the last line. Returns the exit status of the program. */
int end_points(void);

#endif
