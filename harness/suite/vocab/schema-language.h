/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_VOCAB_SCHEMA_LANGUAGE_H
#define VBM_VOCAB_SCHEMA_LANGUAGE_H

struct value;

/* The parts of the JSON schema that describe the language, not one step. */

/* The keys that every step may have. */
void schema_step_keys(struct value *props);

/* use, repeat, together, either and steps: constructs that contain steps. */
void schema_constructs(struct value *any);

/* cases, spec, use, and each fragment as a key of the head. */
void schema_head(struct value *props, const struct value *fragments);

#endif
