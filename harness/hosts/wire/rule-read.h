/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_WIRE_RULE_READ_H
#define VBM_WIRE_RULE_READ_H

#include "wire/rule-code.h"

struct value;

/* A rule out of the parameters of such a step. The caller frees it with rule_free(), unless rules_add() has taken it. */
int rule_read(struct packet_rule *rule, const char *step, const struct value *args, struct vbm_error *err);

void rule_free(struct packet_rule *rule);

/* The seed of its chances, which is drawn if the parameters have none; 0 without chances. */
uint64_t rule_seed(const struct packet_rule *rule, const struct value *args);

#endif
