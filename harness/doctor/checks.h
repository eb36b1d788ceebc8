/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_DOCTOR_CHECKS_H
#define VBM_DOCTOR_CHECKS_H

#include <stdint.h>

#include "doctor/doctor.h"

/* check-native.c */
void check_root(struct doctor *doctor, struct finding *finding);
void check_rxe(struct doctor *doctor, struct finding *finding);
void check_devices(struct doctor *doctor, struct finding *finding);
void check_memory(struct doctor *doctor, struct finding *finding);
void check_fabric(struct doctor *doctor, struct finding *finding);

/* check-guest.c */
void check_qemu(struct doctor *doctor, struct finding *finding);
void check_kernels(struct doctor *doctor, struct finding *finding);
void check_guest(struct doctor *doctor, struct finding *finding);
void check_kvm(struct doctor *doctor, struct finding *finding);

/* check-left.c */
void check_leftovers(struct doctor *doctor, struct finding *finding);

/* The pure part of each, for tests. */
#define CAPABILITY_NET_ADMIN 12
#define CAPABILITY_IPC_LOCK 14
#define CAPABILITY_SYS_ADMIN 21

void judge_privileges(uint64_t capabilities, bool root, struct finding *finding);
void judge_rxe(bool loaded, bool installed, const char *release, const char *system,
	       struct finding *finding);
void judge_memory(uint64_t limit, uint64_t capabilities, struct finding *finding);
void judge_kvm(int permitted, const char *why, bool broken, const char *accelerator,
	       struct finding *finding);

#endif
