/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: dns/zone.c dns/message.c */
#include "cmocka_all.h"

#include <string.h>

#include "base/cleanup.h"
#include "base/value.h"
#include "base/xalloc.h"
#include "dns/message.h"
#include "dns/unbound.h"
#include "dns/zone.h"
#include "diag-help.h"

static bool zone_of(struct dns_zone *z, const char *json, struct heard *h, bool references)
{
	struct diagnostics diag = {.references = references};
	auto_value struct value *v = must_read_json(json);
	bool ok;

	if (references)
		make_references(&v);
	ok = dns_zone_read(z, v, &diag);
	hear(h, &diag);
	return ok;
}

static void good(struct dns_zone *z, const char *json)
{
	struct heard h;

	if (!zone_of(z, json, &h, false))
		fail_msg("%s: %s", json, h.text);
}

static void bad(const char *json, const char *complaint)
{
	struct dns_zone z;
	struct heard h;

	if (zone_of(&z, json, &h, false)) {
		dns_zone_fini(&z);
		fail_msg("accepted: %s", json);
	}
	must_have_heard(&h, json, complaint);
}

static void has_text(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("no '%s' in:\n%s", part, text);
}

TEST(test_zone__records__are_unbounds)
{
	struct dns_zone z;

	good(&z, "{\"a.test\": {\"A\": \"192.0.2.1\"},"
		 "\"B.test\": {\"A\": [\"192.0.2.3\", \"192.0.2.2\"], \"AAAA\": \"2001:db8::1\"},"
		 "\"c.test\": {\"CNAME\": \"a.test\"}}");
	has_text(z.records, "a.test. A 192.0.2.1\n");
	has_text(z.records, "b.test. A 192.0.2.3\nb.test. A 192.0.2.2\nb.test. AAAA 2001:db8::1\n");
	has_text(z.records, "c.test. CNAME a.test.\n");
	assert_int_equal(z.rules, 0);
	dns_zone_fini(&z);
}

TEST(test_zone__what_is_not_there__is_unbounds)
{
	struct dns_zone z;

	good(&z, "{\"no.test\": \"NXDOMAIN\", \"empty.test\": \"NODATA\"}");
	assert_int_equal(z.rules, 0);
	assert_null(strstr(z.records, "no.test"));
	has_text(z.records, "empty.test. TXT");
	dns_zone_fini(&z);
}

TEST(test_zone__an_alias__has_a_target)
{
	struct dns_zone z;

	good(&z, "{\"C.test\": {\"CNAME\": \"A.test\"}, \"a.test\": \"REFUSED\"}");
	assert_string_equal(dns_zone_alias(&z, "c.test"), "a.test");
	assert_null(dns_zone_alias(&z, "a.test"));
	dns_zone_fini(&z);
}

TEST(test_zone__the_rest__is_for_the_proxy)
{
	const struct dns_rule *r;
	struct dns_zone z;

	good(&z, "{\"rc2.test\": \"SERVFAIL\", \"rc9.test\": {\"rcode\": 9},"
		 "\"ref.test\": \"REFUSED\", \"gone.test\": \"SILENT\","
		 "\"half.test\": {\"A\": \"NODATA\", \"AAAA\": \"SERVFAIL\"},"
		 "\"once.test\": {\"A\": \"192.0.2.1\", \"first\": \"SERVFAIL\", \"times\": 2},"
		 "\"slow.test\": {\"A\": \"192.0.2.1\", \"delay_ms\": 50, \"truncate\": true}}");
	r = dns_zone_rule(&z, "rc2.test", DNS_TYPE_A);
	assert_non_null(r);
	assert_int_equal(r->rcode, RCODE_SERVFAIL);
	assert_int_equal(dns_zone_rule(&z, "rc9.test", 16)->rcode, 9);
	assert_int_equal(dns_zone_rule(&z, "ref.test", DNS_TYPE_A)->rcode, RCODE_REFUSED);
	assert_int_equal(dns_zone_rule(&z, "gone.test", DNS_TYPE_A)->rcode, DNS_SILENT);
	assert_null(dns_zone_rule(&z, "half.test", DNS_TYPE_A));
	assert_int_equal(dns_zone_rule(&z, "half.test", DNS_TYPE_AAAA)->rcode, RCODE_SERVFAIL);
	r = dns_zone_rule(&z, "once.test", DNS_TYPE_AAAA);
	assert_int_equal(r->rcode, DNS_PASS);
	assert_int_equal(r->first, RCODE_SERVFAIL);
	assert_int_equal(r->times, 2);
	r = dns_zone_rule(&z, "slow.test", DNS_TYPE_A);
	assert_int_equal(r->delay_ms, 50);
	assert_true(r->truncate);
	assert_null(dns_zone_rule(&z, "other.test", DNS_TYPE_A));
	dns_zone_fini(&z);
}

TEST(test_zone__bad_ones__are_told)
{
	bad("[]", "'dns' takes a map");
	bad("{\"a..test\": \"NODATA\"}", "not a domain name");
	bad("{\"a.test.\": \"NODATA\"}", "not a domain name");
	bad("{\"a b\": \"NODATA\"}", "not a domain name");
	bad("{\"a.test\": \"SERFAIL\"}", "did you mean 'SERVFAIL'?");
	bad("{\"a.test\": {\"A\": \"2001:db8::1\"}}", "not an IPv4 address");
	bad("{\"a.test\": {\"AAAA\": 7}}", "not an IPv6 address");
	bad("{\"a.test\": {\"A\": []}}", "a list of 1 to");
	bad("{\"a.test\": {\"AAA\": \"::1\"}}", "did you mean 'AAAA'?");
	bad("{\"a.test\": {\"CNAME\": \"b\", \"A\": \"192.0.2.1\"}}", "an alias cannot have other records");
	bad("{\"a.test\": {\"rcode\": 16}}", "response code of 1 to 15");
	bad("{\"a.test\": {\"rcode\": 2, \"A\": \"192.0.2.1\"}}", "no client sees");
	bad("{\"a.test\": {\"A\": \"192.0.2.1\", \"times\": 2}}", "for 'first'");
	bad("{\"a.test\": {\"A\": \"192.0.2.1\", \"delay_ms\": -1}}", "'delay_ms' takes a number");
	bad("{\"a.test\": {\"A\": \"$b.ip4\"}}", "not an IPv4 address");
}

TEST(test_zone__references__pass_where_they_may)
{
	struct dns_zone z;
	struct heard h;

	assert_true(zone_of(&z, "{\"a.test\": {\"A\": \"$b.ip4\", \"delay_ms\": \"$ms\"},"
				"\"b.test\": \"$word\"}", &h, true));
	dns_zone_fini(&z);
}

TEST(test_config__a_zone__is_all_it_serves)
{
	const struct unbound_ports ports = {.dns = 5353, .control = 5354};
	auto_free char *text = unbound_config(&ports, "/tmp/x");

	has_text(text, "interface: 127.0.0.1\n  port: 5353\n");
	has_text(text, "auth-zone:\n  name: \".\"\n  zonefile: \"/tmp/x\"\n");
	has_text(text, "fallback-enabled: no");
	has_text(text, "control-interface: 127.0.0.1\n  control-port: 5354\n");
}

static size_t make_query(uint8_t *msg, const char *labels, size_t n, unsigned int type)
{
	static const uint8_t head[12] = {0x12, 0x34, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0};

	memcpy(msg, head, 12);
	memcpy(msg + 12, labels, n);
	msg[12 + n] = (uint8_t)(type >> 8);
	msg[13 + n] = (uint8_t)type;
	msg[14 + n] = 0;
	msg[15 + n] = 1;
	return n + 16;
}

TEST(test_query__a_name__is_read_in_lower_case)
{
	struct dns_query q;
	uint8_t msg[64];
	size_t n = make_query(msg, "\1A\4tEs\n\0", 8, 28);

	assert_true(dns_query_read(msg, n, &q));
	assert_string_equal(q.name, "a.tes\\010");
	assert_int_equal(q.type, 28);
	assert_int_equal(q.klass, 1);
	assert_int_equal(q.end, n);
}

TEST(test_query__any_cut__is_refused)
{
	struct dns_query q;
	uint8_t msg[64];
	size_t n = make_query(msg, "\1a\4test\0", 8, 1), i;

	for (i = 0; i < n; i++)
		assert_false(dns_query_read(msg, i, &q));
	assert_true(dns_query_read(msg, n, &q));
	msg[2] |= 0x80;		/* an answer, and not a question */
	assert_false(dns_query_read(msg, n, &q));
	msg[2] = 1;
	msg[12] = 0xc0;		/* a pointer */
	assert_false(dns_query_read(msg, n, &q));
}

TEST(test_answer__of_a_code__has_the_question_only)
{
	struct dns_query q;
	uint8_t msg[64];
	size_t n = make_query(msg, "\1a\4test\0", 8, 1);

	assert_true(dns_query_read(msg, n, &q));
	msg[11] = 1;		/* announces an OPT record */
	assert_int_equal(dns_answer_rcode(msg, &q, RCODE_FORMERR), q.end);
	assert_int_equal(msg[2], 0x81);
	assert_int_equal(msg[3], 0x81);
	assert_int_equal(msg[5], 1);
	assert_int_equal(msg[11], 0);
}

TEST(test_answer__truncated__says_so_and_ends)
{
	struct dns_query q;
	uint8_t msg[64];
	size_t n = make_query(msg, "\1a\4test\0", 8, 1);

	assert_true(dns_query_read(msg, n, &q));
	dns_answer_rcode(msg, &q, 0);
	msg[7] = 1;
	assert_int_equal(dns_answer_truncate(msg, n + 16), q.end);
	assert_int_equal(msg[2], 0x83);
	assert_int_equal(msg[7], 0);
}
