/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_DOCTOR_MACHINES_H
#define VBM_DOCTOR_MACHINES_H

#include <stdio.h>

#include <verbatim/error.h>

/*
 * A trial of the machines of a hosts file, for "doctor --hosts". Each is asked by its station, which
 * changes nothing, and then all together whether packets go from each to the next.
 */
struct value;

/*
 * A map: "machines" has for each "name", "target", "reached", "copied", "works" and the answer of the station; "works" and "text"
 * say whether a run would begin. @machines: machines_read(). -errno: this program cannot be read.
 */
int doctor_machines(const struct value *machines, struct value **out, struct vbm_error *err);

/* The same for people. Pure. */
void doctor_show_machines(FILE *out, const struct value *report);

/*
 * Why machines that can be used each do not go together, which the caller frees; NULL: they may. A run would first undo what a
 * killed run left, and a doctor changes nothing. Pure, and so is the next one.
 */
char *doctor_judge_machines(const struct value *machines);
/* The hint that these machines call for; NULL: none. */
const char *doctor_hint(const struct value *machines);

#endif
