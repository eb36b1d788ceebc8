/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: agent/agent-proto.c */
#include "cmocka_all.h"

#include <errno.h>
#include <string.h>

#include "agent/agent-proto.h"
#include "base/cleanup.h"
#include "base/xalloc.h"

TEST(test_proto__request__round_trip)
{
	auto_value struct value *args = value_map();
	auto_free char *line = NULL;
	struct agent_request req;

	value_set_int(args, "index", 3);
	line = agent_encode_request(7, step_find("query_gid"), "g", 1234567890123, args);
	assert_null(strchr(line, '\n'));
	assert_int_equal(agent_decode_request(line, strlen(line), &req, NULL), 0);
	assert_int_equal(req.seq, 7);
	assert_ptr_equal(req.kind, step_find("query_gid"));
	assert_string_equal(req.as, "g");
	assert_int_equal(req.deadline_ns, 1234567890123);
	assert_true(value_equal(req.args, args));
	agent_request_fini(&req);
}

TEST(test_proto__bad_request__is_refused)
{
	static const char *const bad[] = {
		"", "[]", "{}", "{\"seq\":0,\"step\":\"query_gid\",\"args\":{}}",
		"{\"seq\":1,\"step\":\"query_gid\"}", "{\"seq\":1,\"step\":\"query_gid\",\"args\":[]}",
		"{\"seq\":1,\"step\":\"no_such_step\",\"args\":{}}", "{\"seq\":1,\"args\":{}}",
	};
	struct agent_request req;
	struct vbm_error err;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		assert_true(agent_decode_request(bad[i], strlen(bad[i]), &req, &err) < 0);
		assert_non_null(strstr(err.msg, "bad request"));
		agent_request_fini(&req);
	}
}

TEST(test_proto__answer__round_trip)
{
	auto_value struct value *result = value_map(), *got = NULL;
	auto_free char *line = NULL;
	bool garbled = true;

	value_set_int(result, "return", 0);
	line = agent_encode_answer(3, result, NULL);
	assert_int_equal(agent_decode_answer(line, strlen(line), 3, &got, &garbled, NULL), 0);
	assert_false(garbled);
	assert_true(value_equal(result, got));
}

TEST(test_proto__failure__keeps_code_and_text)
{
	struct vbm_error sent = {ETIMEDOUT, "no completion came"}, err;
	auto_free char *line = agent_encode_answer(3, NULL, &sent);
	struct value *got = NULL;
	bool garbled = true;

	assert_int_equal(agent_decode_answer(line, strlen(line), 3, &got, &garbled, &err), -ETIMEDOUT);
	assert_false(garbled);
	assert_null(got);
	assert_string_equal(err.msg, "no completion came");
}

TEST(test_proto__bad_answer__is_garbled)
{
	static const char *const bad[] = {
		"", "nonsense", "{\"seq\":3}", "{\"seq\":4,\"result\":{}}", "{\"seq\":3,\"result\":[]}",
		"{\"seq\":3,\"error\":{}}", "{\"seq\":3,\"error\":{\"code\":-5,\"text\":\"x\"}}",
		"{\"seq\":3,\"error\":{\"code\":99999999}}", "{\"seq\":3,\"error\":7,\"result\":{}}",
	};
	struct value *got = NULL;
	bool garbled;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		garbled = false;
		assert_int_equal(agent_decode_answer(bad[i], strlen(bad[i]), 3, &got, &garbled, NULL), -EPROTO);
		assert_true(garbled);
		assert_null(got);
	}
}
