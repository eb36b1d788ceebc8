/* SPDX-License-Identifier: BSD-2-Clause */
#include "agent/agent-proto.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "agent/agent-reset.h"
#include "base/cleanup.h"
#include "base/json.h"
#include "base/xalloc.h"
#include "lib/base/fail.h"

#define ERRNO_MAX 4095

char *agent_encode_request(int64_t seq, const struct step_kind *kind, const char *as,
			   int64_t deadline_ns, const struct value *args)
{
	auto_value struct value *v = value_map();

	value_set_int(v, "seq", seq);
	value_set_string(v, "step", kind->name);
	if (as)
		value_set_string(v, "as", as);
	value_set_int(v, "deadline_ns", deadline_ns);
	value_set(v, "args", args ? value_dup(args) : value_map());
	return json_write(v);
}

static struct value *take_map(struct value *map, const char *key)
{
	struct value_member *m = value_member(map, key);
	struct value *v;

	if (!m || m->value->type != VALUE_MAP)
		return NULL;
	v = m->value;
	m->value = value_null();
	return v;
}

int agent_decode_request(const char *line, size_t len, struct agent_request *req,
			 struct vbm_error *err)
{
	auto_value struct value *v = json_read(line, len, err);
	const char *step = value_get_string(v, "step", NULL), *as;

	memset(req, 0, sizeof(*req));
	if (!v)
		return vbm_wrap(err, "bad request");
	req->seq = value_get_int(v, "seq", -1);
	req->deadline_ns = value_get_int(v, "deadline_ns", 0);
	if (req->seq < 1 || !step)
		return vbm_fail(err, EPROTO, "bad request: no sequence number or no step");
	req->kind = strcmp(step, agent_reset_kind.name) ? step_find(step) : &agent_reset_kind;
	if (!req->kind)
		return vbm_fail(err, ENOENT, "bad request: unknown step '%s'", step);
	req->args = take_map(v, "args");
	if (!req->args)
		return vbm_fail(err, EPROTO, "bad request: no arguments");
	as = value_get_string(v, "as", NULL);
	req->as = as ? xstrdup(as) : NULL;
	return 0;
}

void agent_request_fini(struct agent_request *req)
{
	value_free(req->args);
	free(req->as);
	memset(req, 0, sizeof(*req));
}

char *agent_encode_answer(int64_t seq, const struct value *result,
			  const struct vbm_error *failure)
{
	auto_value struct value *v = value_map();
	struct value *e;

	value_set_int(v, "seq", seq);
	if (failure) {
		e = value_map();
		value_set_int(e, "code", failure->code);
		value_set_string(e, "text", failure->msg);
		value_set(v, "error", e);
	} else {
		value_set(v, "result", value_dup(result));
	}
	return json_write(v);
}

int agent_decode_answer(const char *line, size_t len, int64_t seq, struct value **result,
			bool *garbled, struct vbm_error *err)
{
	auto_value struct value *v = json_read(line, len, err);
	const struct value *error;
	int64_t code;

	*garbled = true;
	*result = NULL;
	if (!v)
		return vbm_fail(err, EPROTO, "the agent's answer is garbled: '%.*s'", len > 80 ? 80 : (int)len, line);
	if (value_get_int(v, "seq", -1) != seq)
		return vbm_fail(err, EPROTO, "the agent answered a request that is not the last one");
	error = value_get(v, "error");
	code = value_get_int(error, "code", 0);
	*result = error ? NULL : take_map(v, "result");
	if (!*result && (code < 1 || code > ERRNO_MAX))
		return vbm_fail(err, EPROTO, "the agent's answer has neither a result nor an error");
	*garbled = false;
	return *result ? 0 : vbm_fail(err, (int)code, "%s", value_get_string(error, "text", "no reason given"));
}
