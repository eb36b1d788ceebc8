/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: session/exec-wire.c */
#include "cmocka_all.h"

#include "base/text.h"
#include "base/value.h"
#include "session/exec-report.h"

static void add(struct exec_wire *w, const char *host, int received, int arrived, int captured,
		int lost)
{
	auto_value struct value *event = value_map();

	value_set_string(event, "event", "wire");
	value_set_string(event, "host", host);
	value_set_int(event, "received", received);
	value_set_int(event, "arrived", arrived);
	if (captured >= 0) {
		value_set_int(event, "captured", captured);
		value_set_int(event, "lost", lost);
	}
	exec_wire_add(w, event);
}

static void assert_notes(const struct exec_wire *w, const char *wanted)
{
	auto_text struct text out = {0};

	exec_wire_notes(w, &out);
	assert_string_equal(out.s ? out.s : "", wanted);
}

TEST(test_exec_wire__nothing_done_or_all_crossed__no_note)
{
	struct exec_wire w = {0};

	assert_notes(&w, "");
	add(&w, "a", 0, 0, -1, 0);
	assert_notes(&w, "");
	add(&w, "b", 9, 9, 20, 0);
	/* Packets that it sent itself, besides those that arrived. */
	add(&w, "c", 50, 3, -1, 0);
	/* Packets arrived, but not for its device. */
	add(&w, "d", 0, 4, -1, 0);
	assert_notes(&w, "");
	exec_wire_fini(&w);
}

TEST(test_exec_wire__nothing_crossed__is_said)
{
	struct exec_wire w = {0};

	add(&w, "a", 65, 0, -1, 0);
	add(&w, "b", 0, 0, -1, 0);
	assert_notes(&w, "no RDMA packet crossed the cable: the device of host a sent itself all of "
		     "the 65 RDMA packets that it received\n");
	/* Packets of other hosts. */
	add(&w, "c", 7, 7, -1, 0);
	assert_notes(&w, "the device of host a sent itself all of the 65 RDMA packets that it "
		     "received\n");
	exec_wire_fini(&w);
}

TEST(test_exec_wire__capture__table_and_losses)
{
	auto_text struct text out = {0};
	struct exec_wire w = {0};

	add(&w, "a", 5, 5, 90, 10);
	add(&w, "b", 6, 6, -1, 0);
	exec_wire_table(&w, &out);
	assert_string_equal(out.s, "host\trdma_received\troce_arrived\tcaptured\tlost\tdropped\tcable\n"
			    "a\t5\t5\t90\t10\t-\t-\nb\t6\t6\t-\t-\t-\t-\n");
	assert_notes(&w, "the capture lacks 10 of 100 packets of host a: they came faster than they "
		     "could be written\n");
	exec_wire_fini(&w);
}
