/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: lib/base/fail.c */
/* The function of a program that hears of failures, and the calls that have none. */
#include "cmocka_all.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <verbatim/domain.h>
#include <verbatim/endpoint.h>
#include <verbatim/log.h>

#include "lib/base/fail.h"

struct heard {
	int times, code;
	char message[sizeof(((struct vbm_error *)0)->msg)];
};

static struct heard heard;
static unsigned long long before;

static void hear(void *context, int code, const char *message)
{
	struct heard *h = context;

	h->times++;
	h->code = code;
	snprintf(h->message, sizeof(h->message), "%s", message);
	errno = EPIPE;
}

static int listen_to_failures(void **state)
{
	(void)state;
	heard = (struct heard){0};
	before = vbm_count_failures();
	vbm_set_log(hear, &heard);
	return 0;
}

static int be_deaf(void **state)
{
	(void)state;
	vbm_set_log(NULL, NULL);
	return 0;
}

UNIT(.each = {listen_to_failures, be_deaf});

TEST(test_log__each_failure)
{
	struct vbm_error error;

	assert_int_equal(vbm_create_domain(NULL, NULL, NULL, &error), EINVAL);
	assert_int_equal(heard.times, 1);
	assert_int_equal(heard.code, EINVAL);
	assert_string_equal(heard.message, error.msg);
	/* Also where the caller wants no text. */
	heard.message[0] = '\0';
	assert_int_equal(vbm_create_domain(NULL, NULL, NULL, NULL), EINVAL);
	assert_int_equal(heard.times, 2);
	assert_string_equal(heard.message, error.msg);
	assert_int_equal(vbm_count_failures() - before, 2);
}

TEST(test_log__none__counts_all_the_same)
{
	struct vbm_error error = {0};

	vbm_set_log(NULL, NULL);
	assert_int_equal(vbm_create_domain(NULL, NULL, NULL, &error), EINVAL);
	assert_int_equal(vbm_create_domain(NULL, NULL, NULL, NULL), EINVAL);
	assert_true(error.msg[0]);
	assert_int_equal(heard.times, 0);
	assert_int_equal(vbm_count_failures() - before, 2);
}

TEST(test_log__errno__stays)
{
	struct vbm_error error;

	errno = EBADF;
	assert_int_equal(vbm_fail(&error, EIO, "no %s", "reason"), -EIO);
	assert_int_equal(errno, EBADF);
	assert_string_equal(heard.message, "no reason");
}

TEST(test_note__is_no_failure)
{
	struct vbm_error error;

	assert_int_equal(vbm_note(&error, EIO, "no %s", "reason"), -EIO);
	assert_int_equal(error.code, EIO);
	assert_string_equal(error.msg, "no reason");
	assert_int_equal(vbm_note(NULL, EIO, "no reason"), -EIO);
	assert_int_equal(heard.times, 0);
	assert_int_equal(vbm_count_failures() - before, 0);
}

/* One failure, although the search goes through all devices. */
TEST(test_log__an_address_that_no_device_has)
{
	const struct sockaddr_in nobody = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(0xc000024d)};
	struct vbm_error error;
	struct vbm_gid_place place;

	assert_true(vbm_find_gid((const struct sockaddr *)&nobody, &place, &error));
	assert_int_equal(heard.times, 1);
	assert_int_equal(heard.code, error.code);
	assert_string_equal(heard.message, error.msg);
}

/* Listeners are asked again and again. Whether a request has come is no failure. */
TEST(test_log__a_listener_that_nobody_calls)
{
	struct vbm_endpoint_options o;
	struct vbm_endpoint *listener, *request;

	vbm_endpoint_options_init(&o);
	o.way = VBM_WAY_HANDSHAKE;
	assert_int_equal(vbm_create_endpoint(&listener, &o, NULL), 0);
	assert_int_equal(vbm_listen(listener, NULL, "0"), 0);
	assert_int_equal(vbm_endpoint_event(listener, NULL, &request), 0);
	assert_int_equal(vbm_get_request(listener, &request, 0), ETIMEDOUT);
	assert_true(listener->error.msg[0]);
	vbm_destroy_endpoint(listener);
	assert_int_equal(heard.times, 0);
}

/* The failure of each address, and not the message that names them together. */
TEST(test_log__addresses_that_fail)
{
	struct sockaddr_in to[2] = {
		{.sin_family = AF_INET, .sin_port = htons(1), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)},
		{.sin_family = AF_INET, .sin_port = htons(1), .sin_addr.s_addr = htonl(INADDR_LOOPBACK + 1)},
	};
	struct rdma_addrinfo list[2];
	struct vbm_endpoint_options o;
	struct vbm_endpoint *ep;

	for (int i = 0; i < 2; i++)
		list[i] = (struct rdma_addrinfo){
			.ai_family = AF_INET, .ai_qp_type = IBV_QPT_RC, .ai_port_space = RDMA_PS_TCP,
			.ai_dst_addr = (struct sockaddr *)&to[i], .ai_dst_len = sizeof(to[i]),
			.ai_next = i == 0 ? &list[1] : NULL,
		};
	vbm_endpoint_options_init(&o);
	o.way = VBM_WAY_HANDSHAKE;
	o.list = list;
	assert_int_equal(vbm_create_endpoint(&ep, &o, NULL), 0);
	assert_int_equal(vbm_connect(ep, NULL, NULL), ECONNREFUSED);
	assert_non_null(strstr(ep->error.msg, "127.0.0.1"));
	assert_non_null(strstr(ep->error.msg, "127.0.0.2"));
	assert_int_equal(heard.times, 2);
	assert_null(strstr(heard.message, "127.0.0.1"));
	assert_non_null(strstr(heard.message, "127.0.0.2"));
	vbm_destroy_endpoint(ep);
}
