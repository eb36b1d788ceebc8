/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: services/etc-files.c */
#include "cmocka_all.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/diag.h"
#include "base/value.h"
#include "lib/base/fail.h"
#include "services/etc-files.h"
#include "diag-help.h"

#define LOCAL "127.0.0.1\tlocalhost\n::1\tlocalhost\n"

/* The first complaint about a value of a file; $ begins a reference. */
static void complaint_is(void (*check)(const struct value *v, int hosts, struct diagnostics *diag),
			 const char *yaml, const char *wanted)
{
	struct value *v = must_read_yaml(yaml);
	struct diagnostics diag = {.references = true};
	struct heard heard = {0};

	make_references(&v);
	check(v, 2, &diag);
	hear(&heard, &diag);
	if (!wanted && heard.count)
		fail_msg("%s: %s", yaml, heard.text);
	if (wanted)
		must_have_heard(&heard, yaml, wanted);
	value_free(v);
}

#define LINE "a line of 'hosts' is an IP address and at least one name"

TEST(test_etc__hosts__are_checked)
{
	static const struct {
		const char *yaml, *complaint;	/* NULL: it is well */
	} row[] = {
		{"[10.0.0.1 x, 'fd00::1  y z']", NULL},
		{"[]", NULL},
		{"[{address: 10.0.0.1, names: x}, {address: $b.ip4, names: [y, z]}]", NULL},
		{"{a: [10.0.0.1 x], b: []}", NULL},
		{"[10.0.0.1]", LINE},
		{"[10.0.0 x]", LINE},
		{"['']", LINE},
		{"['10.0.0.1 x # y']", LINE},
		{"[\"10.0.0.1 x\\n10.0.0.2 y\"]", LINE},
		{"[7]", LINE},
		{"text", "'hosts' takes a list of lines, or a map from hosts to such lists"},
		{"{a: text}", "'hosts' takes a list of lines, or a map from hosts to such lists"},
		{"{c: []}", "there is no host 'c' in this fabric, which has hosts a to b"},
		{"{aa: []}", "there is no host 'aa' in this fabric, which has hosts a to b"},
		{"{A: []}", "there is no host 'A' in this fabric, which has hosts a to b"},
		{"[{names: x}]", "an item of 'hosts' needs 'address' and 'names'"},
		{"[{address: 10.0.0.1, names: x, more: y}]", "an item of 'hosts' needs 'address' and 'names'"},
		{"[{address: x, names: y}]", "'address' takes an IP address"},
		{"[{address: 7, names: y}]", "'address' takes an IP address"},
		{"[{address: 10.0.0.1, names: []}]", "'names' takes at least one name"},
		{"[{address: 10.0.0.1, names: [x, '']}]", "'names' takes a name or a list of names"},
		{"[{address: 10.0.0.1, names: 'x y'}]", "'names' takes a name or a list of names"},
		{"[{address: 10.0.0.1, names: 'x#y'}]", "'names' takes a name or a list of names"},
	};
	size_t i;

	for (i = 0; i < sizeof(row) / sizeof(row[0]); i++)
		complaint_is(etc_check_hosts, row[i].yaml, row[i].complaint);
}

#define SERVICE "a service is PORT/tcp or PORT/udp"

TEST(test_etc__services__are_checked)
{
	static const struct {
		const char *yaml, *complaint;
	} row[] = {
		{"{x: 1/tcp, y: [65535/udp, 0/tcp], z: $b.port}", NULL},
		{"{x: 65536/tcp}", SERVICE},
		{"{x: 000001/tcp}", SERVICE},
		{"{x: 1/sctp}", SERVICE},
		{"{x: 1/tcpx}", SERVICE},
		{"{x: 1/tcp2}", SERVICE},
		{"{x: -1/tcp}", SERVICE},
		{"{x: 1}", SERVICE},
		{"{x: ''}", SERVICE},
		{"{x: [1/tcp, 2]}", SERVICE},
		{"{'a b': 1/tcp}", "'a b' cannot be the name of a service"},
		{"{'': 1/tcp}", "'' cannot be the name of a service"},
		{"{a/b: 1/tcp}", "'a/b' cannot be the name of a service"},
		{"{'a#b': 1/tcp}", "'a#b' cannot be the name of a service"},
		{"[1/tcp]", "'services' takes a map from names to PORT/tcp or PORT/udp"},
	};
	size_t i;

	for (i = 0; i < sizeof(row) / sizeof(row[0]); i++)
		complaint_is(etc_check_services, row[i].yaml, row[i].complaint);
}

TEST(test_etc__resolv__is_checked)
{
	static const struct {
		const char *yaml, *complaint;
	} row[] = {
		{"{timeout: 1, attempts: 5, ndots: 0}", NULL},
		{"{timeout: 30, ndots: 15}", NULL},
		{"{timeout: $a.port}", NULL},
		{"{}", NULL},
		{"{timeout: 0}", "'timeout' takes a number from 1 to 30"},
		{"{timeout: 31}", "'timeout' takes a number from 1 to 30"},
		{"{attempts: 6}", "'attempts' takes a number from 1 to 5"},
		{"{ndots: -1}", "'ndots' takes a number from 0 to 15"},
		{"{ndots: x}", "'ndots' takes a number from 0 to 15"},
		{"{atempts: 1}", "'resolv' has no option 'atempts'"},
		{"[1]", "'resolv' takes a map of options"},
	};
	size_t i;

	for (i = 0; i < sizeof(row) / sizeof(row[0]); i++)
		complaint_is(etc_check_resolv, row[i].yaml, row[i].complaint);
}

TEST(test_etc__hosts__of_all_and_of_one)
{
	auto_value struct value *all = must_read_yaml("[10.0.0.1 x, {address: 'fd00::1', names: [y, z]}]");
	auto_value struct value *each = must_read_yaml("{a: [10.0.0.1 x], b: []}");
	auto_free char *text = NULL, *a = NULL, *b = NULL, *none = NULL;

	assert_int_equal(etc_hosts(all, "b", &text, NULL), 0);
	assert_string_equal(text, LOCAL "10.0.0.1 x\nfd00::1 y z\n");
	assert_int_equal(etc_hosts(each, "a", &a, NULL), 0);
	assert_string_equal(a, LOCAL "10.0.0.1 x\n");
	assert_int_equal(etc_hosts(each, "c", &b, NULL), 0);
	assert_string_equal(b, LOCAL);
	assert_int_equal(etc_hosts(NULL, "a", &none, NULL), 0);
	assert_string_equal(none, LOCAL);
}

TEST(test_etc__services_and_resolv__are_written)
{
	auto_value struct value *services = must_read_yaml("{x: 007/tcp, y: [1/udp, 2/tcp]}");
	auto_value struct value *resolv = must_read_yaml("{timeout: 9, ndots: 3}");
	auto_free char *text = NULL, *some = NULL, *none = NULL;

	assert_int_equal(etc_services(services, &text, NULL), 0);
	assert_string_equal(text, "x\t7/tcp\ny\t1/udp\ny\t2/tcp\n");
	assert_int_equal(etc_resolv(resolv, "10.0.0.2", &some, NULL), 0);
	assert_string_equal(some, "nameserver 10.0.0.2\noptions timeout:9\noptions attempts:2\noptions ndots:3\n");
	assert_int_equal(etc_resolv(NULL, NULL, &none, NULL), 0);
	assert_string_equal(none, "options timeout:5\noptions attempts:2\noptions ndots:1\n");
}

/* The value of a reference may be one that no file can have. */
TEST(test_etc__value_of_a_reference__is_checked_again)
{
	auto_value struct value *hosts = must_read_yaml("[{address: nonsense, names: x}]");
	auto_value struct value *services = must_read_yaml("{x: nonsense}");
	auto_value struct value *resolv = must_read_yaml("{timeout: 99}");
	struct vbm_error err = {0};
	char *text = NULL;

	assert_int_equal(etc_hosts(hosts, "a", &text, &err), -EINVAL);
	assert_non_null(strstr(err.msg, "'address' takes an IP address"));
	assert_int_equal(etc_services(services, &text, &err), -EINVAL);
	assert_non_null(strstr(err.msg, SERVICE));
	assert_int_equal(etc_resolv(resolv, NULL, &text, &err), -EINVAL);
	assert_non_null(strstr(err.msg, "from 1 to 30"));
	assert_null(text);
}
