/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_AGENT_AGENT_PROTO_H
#define VBM_AGENT_AGENT_PROTO_H

#include <stddef.h>
#include <stdint.h>

#include <verbatim/error.h>

#include "base/value.h"
#include "step/step.h"

/*
 * The messages between runner and agent. Each is a JSON object on one line:
 *   runner: {"seq": 1, "step": "create_qp", "as": "q", "deadline_ns": N, "args": {...}}
 *           N is a time of the runner's clock, or, negative, how long the step may take: an agent
 *           on another machine has another clock
 *   agent:  {"seq": 1, "result": {...}}
 *           {"seq": 1, "error": {"code": 110, "text": "..."}}
 * The agent sends {"seq": 0, ...} once: when it has entered its host, or when it cannot.
 * Pure: text in, text out.
 */

struct agent_request {
	int64_t seq;
	const struct step_kind *kind;	/* borrowed from the table */
	char *as;			/* owned, or NULL */
	int64_t deadline_ns;
	struct value *args;		/* owned; a map */
};

/* The caller frees the line, which has no newline. */
char *agent_encode_request(int64_t seq, const struct step_kind *kind, const char *as,
			   int64_t deadline_ns, const struct value *args);
int agent_decode_request(const char *line, size_t len, struct agent_request *req,
			 struct vbm_error *err);
void agent_request_fini(struct agent_request *req);

/* @failure: NULL, or the reason why the step could not be carried out; then there is no result. */
char *agent_encode_answer(int64_t seq, const struct value *result,
			  const struct vbm_error *failure);

/*
 * Returns 0 with *@result, which the caller owns; or a negative errno. *@garbled
 * is true when @line is not an answer to @seq (-EPROTO), and false when the
 * error is the step's.
 */
int agent_decode_answer(const char *line, size_t len, int64_t seq, struct value **result,
			bool *garbled, struct vbm_error *err);

#endif
