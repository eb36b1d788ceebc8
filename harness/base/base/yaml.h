/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_BASE_YAML_H
#define VBM_BASE_YAML_H

#include <stddef.h>

struct diagnostics;
struct value;

/*
 * The strict subset of YAML for scenarios. Only this file uses libyaml. One document, no
 * anchors, aliases, tags or directives, no tab, no duplicate key. A plain scalar is null
 * ("null", "~", nothing), a boolean ("true", "false"), an integer (decimal or 0x), or
 * otherwise a string. A quoted scalar is a string. Integers from 2^63 to 2^64-1 become the
 * int64_t with the same bits, and keep their text. Every value has its position.
 */
#define YAML_SIZE_MAX (1024 * 1024)
#define YAML_DEPTH_MAX 32
#define YAML_LIST_MAX 4096
#define YAML_MAP_MAX 256

/* The caller owns the value. Otherwise NULL, with at least one diagnostic. */
struct value *yaml_read(const char *text, size_t len, struct diagnostics *diag);

#endif
