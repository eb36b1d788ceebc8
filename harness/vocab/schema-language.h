/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_VOCAB_SCHEMA_LANGUAGE_H
#define VBM_VOCAB_SCHEMA_LANGUAGE_H

struct value;

/* Parts of the JSON schema that speak of the language, not of a step. */

/* Keys that every step has. */
void schema_step_keys(struct value *props);

/* use, repeat, together, either: steps that are made of steps. */
void schema_constructs(struct value *any);

/* cases, spec, use, and each fragment as a key of the head. */
void schema_head(struct value *props, const struct value *fragments);

#endif
