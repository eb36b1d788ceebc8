/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: lib/base/options.c lib/base/version.c */
/* Structures of options of which the program and the library know different versions. */
#include "cmocka_all.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <verbatim/domain.h>
#include <verbatim/endpoint.h>
#include <verbatim/negotiator.h>
#include <verbatim/version.h>

#include "config.h"
#include "lib/base/options.h"

struct old {
	size_t size;
	int a;
};

struct known {
	size_t size;
	int a, b;
	char c[40];
};

static const struct known defaults = {.a = 1, .b = 2, .c = "three"};

TEST(test_options__of_an_older_program)
{
	struct {
		struct old o;
		char guard[64];
	} program;
	struct known k = defaults;
	struct vbm_error error;

	memset(&program, 0x5a, sizeof(program));
	vbm_options_give(&program.o, sizeof(program.o), &defaults, sizeof(defaults));
	assert_int_equal(program.o.size, sizeof(program.o));
	assert_int_equal(program.o.a, 1);
	for (size_t i = 0; i < sizeof(program.guard); i++)
		assert_int_equal(program.guard[i], 0x5a);
	program.o.a = 9;
	assert_int_equal(vbm_options_take(&k, sizeof(k), &program.o, "known", &error), 0);
	assert_int_equal(k.a, 9);
	assert_int_equal(k.b, 2);
	assert_string_equal(k.c, "three");
}

TEST(test_options__of_a_newer_program)
{
	struct {
		struct known k;
		int more;
	} program;
	struct known k = defaults;
	struct vbm_error error;

	memset(&program, 0x5a, sizeof(program));
	vbm_options_give(&program.k, sizeof(program), &defaults, sizeof(defaults));
	assert_int_equal(program.k.size, sizeof(program));
	assert_int_equal(program.more, 0);
	program.k.b = 7;
	assert_int_equal(vbm_options_take(&k, sizeof(k), &program.k, "known", &error), 0);
	assert_int_equal(k.b, 7);
	program.more = 1;
	assert_int_equal(vbm_options_take(&k, sizeof(k), &program.k, "known", &error), EINVAL);
	assert_string_equal(error.msg, "byte 56 of struct vbm_known has a value, and this version of the "
			    "library knows 56 bytes");
}

TEST(test_options__without_a_size)
{
	struct vbm_endpoint_options endpoint = {.way = VBM_WAY_HANDSHAKE};
	struct vbm_qp_options qp = {.max_send_wr = 1};
	struct vbm_error error;
	struct vbm_endpoint *ep;
	struct vbm_qp *q;

	vbm_options_give(NULL, 1, &defaults, sizeof(defaults));
	assert_int_equal(vbm_create_endpoint(&ep, &endpoint, &error), EINVAL);
	assert_string_equal(error.msg, "the member size of struct vbm_endpoint_options is 0: call "
			    "vbm_endpoint_options_init() first");
	vbm_endpoint_options_init(&endpoint);
	endpoint.qp.size = 0;
	assert_int_equal(vbm_create_endpoint(&ep, &endpoint, &error), EINVAL);
	assert_non_null(strstr(error.msg, "vbm_qp_options_init()"));
	assert_int_equal(vbm_create_qp(&q, NULL, &qp, &error), EINVAL);
	assert_non_null(strstr(error.msg, "vbm_qp_options_init()"));
	vbm_qp_options_init(&qp);
	qp.reserved[0] = 1;
	assert_int_equal(vbm_create_qp(&q, NULL, &qp, &error), EINVAL);
	assert_non_null(strstr(error.msg, "has a value"));
}

/* Each begins with its size, and its function sets it. */
TEST(test_options__all_begin_with_their_size)
{
	struct vbm_qp_options qp;
	struct vbm_endpoint_options endpoint;
	struct vbm_handshake_options handshake;
	struct vbm_listen_options listening;
	struct vbm_domain_options domain;

	vbm_qp_options_init(&qp);
	vbm_endpoint_options_init(&endpoint);
	vbm_handshake_options_init(&handshake);
	vbm_listen_options_init(&listening);
	vbm_domain_options_init(&domain);
	assert_int_equal(*(size_t *)&qp, sizeof(qp));
	assert_int_equal(*(size_t *)&domain, sizeof(domain));
	assert_int_equal(*(size_t *)&endpoint, sizeof(endpoint));
	assert_int_equal(*(size_t *)&handshake, sizeof(handshake));
	assert_int_equal(*(size_t *)&listening, sizeof(listening));
	assert_int_equal(endpoint.qp.size, sizeof(qp));
	assert_int_equal(listening.handshake.size, sizeof(handshake));
}

TEST(test_version__is_that_of_the_package)
{
	char text[32];

	snprintf(text, sizeof(text), "%d.%d.%d", VBM_VERSION_MAJOR, VBM_VERSION_MINOR, VBM_VERSION_PATCH);
	assert_string_equal(text, PACKAGE_VERSION);
	assert_int_equal(vbm_version(), VBM_VERSION);
}
