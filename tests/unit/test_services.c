/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: services/ */
#include "cmocka_all.h"

#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "diag-help.h"
#include "services/services.h"

static const struct host_info infos[] = {
	{.name = "a", .ip4 = "192.0.2.1"},
	{.name = "b", .ip4 = "192.0.2.2"},
};
static const struct service_host hosts[] = {
	{.info = &infos[0], .netns_fd = -1},
	{.info = &infos[1], .netns_fd = -1},
};

static int start(struct serving **s, const char *json, struct vbm_error *err)
{
	const struct service_setup setup = {.host = hosts, .hosts = 2};
	auto_value struct value *keys = must_read_json(json);

	return services_start(s, keys, &setup, err);
}

static void bad(const char *key, const char *json, const char *complaint)
{
	auto_value struct value *v = must_read_json(json);
	struct heard h;
	struct diagnostics diag = {.references = true};
	size_t i;

	for (i = 0; service_table[i]; i++)
		if (strcmp(service_table[i]->key, key) == 0)
			service_table[i]->check(v, 2, &diag);
	hear(&h, &diag);
	must_have_heard(&h, json, complaint);
}

TEST(test_services__what_is_wrong__is_told)
{
	bad("dns", "{\"a.test\": \"SERFAIL\"}", "did you mean 'SERVFAIL'?");
	bad("hosts", "[\"192.0.2.1\"]", "an IP address and at least one name");
	bad("hosts", "{\"c\": []}", "no host 'c'");
	bad("services", "{\"x\": \"7/sctp\"}", "PORT/tcp or PORT/udp");
	bad("resolv", "{\"timout\": 1}", "did you mean 'timeout'?");
	bad("acm", "[]", "");
}

TEST(test_services__a_step__names_what_it_needs)
{
	assert_string_equal(service_of_step("dns_queries")->key, "dns");
	assert_string_equal(service_of_step("acm_requests")->what, "path service");
	assert_null(service_of_step("getaddrinfo"));
}

TEST(test_services__no_key__is_no_service)
{
	struct serving *s;

	assert_int_equal(start(&s, "{}", NULL), 0);
	assert_null(s);
	assert_null(services_of(s, 0));
	assert_int_equal(services_look(s, NULL), 0);
	services_stop(s);
}

TEST(test_services__keys__become_files_of_hosts)
{
	const struct host_files *f;
	struct vbm_error err = {0};
	struct serving *s;

	if (start(&s, "{\"hosts\": {\"b\": [{\"address\": \"192.0.2.9\", \"names\": [\"x\", \"y\"]}]},"
		      "\"services\": {\"blast\": \"17471/tcp\"}, \"resolv\": {\"timeout\": 1},"
		      "\"acm\": \"SILENT\"}", &err) < 0)
		fail_msg("%s", err.msg);
	f = services_of(s, 0);
	assert_null(strstr(f->hosts, "192.0.2.9"));
	assert_string_equal(f->services, "blast\t17471/tcp\n");
	assert_string_equal(f->resolv, "options timeout:1\noptions attempts:2\noptions ndots:1\n");
	assert_int_equal(f->dns_log_fd, -1);
	assert_string_equal(f->acm->s, "SILENT");
	assert_non_null(strstr(services_of(s, 1)->hosts, "192.0.2.9 x y\n"));
	services_stop(s);
}

/* One key is enough, so that a host never has a mix of its own files and the machine's. */
TEST(test_services__one_key__brings_the_other_files)
{
	const struct host_files *f;
	struct serving *s;

	assert_int_equal(start(&s, "{\"acm\": \"SILENT\"}", NULL), 0);
	f = services_of(s, 1);
	assert_non_null(strstr(f->hosts, "localhost"));
	assert_non_null(strstr(f->nsswitch, "hosts: files dns"));
	assert_non_null(f->resolv);
	assert_null(f->services);
	services_stop(s);
}

/* Values of references, which the checker could not know. */
TEST(test_services__a_value_that_does_not_fit__is_told)
{
	struct vbm_error err = {0};
	struct serving *s;

	assert_int_equal(start(&s, "{\"services\": {\"blast\": \"mlx5_0\"}}", &err), -EINVAL);
	assert_null(s);
	assert_non_null(strstr(err.msg, "services: "));
	assert_int_equal(start(&s, "{\"dns\": {\"a.test\": {\"A\": \"mlx5_0\"}}}", &err), -EINVAL);
	assert_non_null(strstr(err.msg, "dns: "));
}
