/* SPDX-License-Identifier: BSD-2-Clause */
#include "explain/table.h"

#include <stddef.h>
#include <string.h>

const struct explained_set explained_sets[] = {
	{&const_return, "result of address resolution", explain_return,
	 "rdma_getaddrinfo(3) / RETURN VALUE"},
	{&const_errno, "errno value", explain_errno, NULL},
	{&const_wc_status, "status of a work completion", explain_wc_status, NULL},
	{&const_cm_event, "event of rdma_cm", explain_cm_event,
	 "rdma_get_cm_event(3) / EVENT TYPES"},
	{&const_qp_state, "state of a queue pair", explain_qp_state, NULL},
	{&const_qp_type, "type of a queue pair", explain_qp_type, "ibv_create_qp(3) / DESCRIPTION"},
	{&const_port_space, "port space of rdma_cm", explain_port_space,
	 "rdma_create_id(3) / PORT SPACE"},
	{&const_port_state, "state of a port", explain_port_state, NULL},
	{&const_rai_flags, "flag of address resolution", explain_rai_flags,
	 "rdma_getaddrinfo(3) / rdma_addrinfo"},
	{&const_family, "address family", explain_family, NULL},
	{&const_access, "access right of a memory region or queue pair", explain_access,
	 "ibv_reg_mr(3) / DESCRIPTION"},
	{&const_atomic_cap, "level of atomic support", explain_atomic_cap, NULL},
	{&const_link_layer, "link layer of a port", explain_link_layer,
	 "ibv_query_port(3) / DESCRIPTION"},
	{&const_qp_attr_mask, "bit of the mask of ibv_modify_qp(3)", explain_qp_attr_mask,
	 "ibv_modify_qp(3) / DESCRIPTION"},
	{&const_mtu, "path MTU in bytes", NULL, NULL},
	{&const_wr_opcode, "operation of a work request", NULL, "ibv_post_send(3) / DESCRIPTION"},
	{&const_send_flags, "flag of a work request", NULL, "ibv_post_send(3) / DESCRIPTION"},
	{&const_wc_opcode, "operation of a completed work request", NULL, NULL},
	{&const_wc_flags, "flag of a work completion", NULL, "ibv_poll_cq(3) / DESCRIPTION"},
	{&const_packet_opcode, "operation of a packet", NULL, NULL},
	{&const_aeth_kind, "kind of an acknowledgement", NULL, NULL},
	{&const_nak_code, "why an acknowledgement refuses a request", NULL, NULL},
	{&const_async_event, "asynchronous event of a device", explain_async_event,
	 "ibv_get_async_event(3) / DESCRIPTION"},
	{&const_mw_type, "type of a memory window", NULL, "ibv_alloc_mw(3) / DESCRIPTION"},
	{&const_srq_attr_mask, "bit of the mask of ibv_modify_srq(3)", NULL,
	 "ibv_modify_srq(3) / DESCRIPTION"},
	{&const_rereg, "attribute that ibv_rereg_mr(3) changes", NULL, "ibv_rereg_mr(3) / DESCRIPTION"},
	{&const_advice, "advice of ibv_advise_mr(3)", NULL, "ibv_advise_mr(3) / DESCRIPTION"},
	{&const_advise_flag, "flags of ibv_advise_mr(3)", NULL, "ibv_advise_mr(3) / ARGUMENTS"},
	{&const_rereg_error, "result of ibv_rereg_mr(3)", NULL, "ibv_rereg_mr(3) / RETURN VALUE"},
	{&const_flush_type, "type of a flush", NULL, "ibv_wr_post(3) / WORK REQUESTS"},
	{&const_flush_level, "level of a flush", NULL, "ibv_wr_post(3) / WORK REQUESTS"},
	{&const_send_ops, "operation that a queue pair is made for", NULL,
	 "ibv_create_qp_ex(3) / DESCRIPTION"},
	{NULL, NULL, NULL, NULL},
};

const struct explanation explain_verdict[] = {
	{"PASS", "Everything that the scenario expects held.", "A target that works as its page says.",
	 NULL},
	{"FAIL", "Something that the scenario expects did not hold.",
	 "The target, or a scenario that expects too much.",
	 "The report's file and line, the expected and the actual value; then the clause "
	 "(verbatim explain CLAUSE). 'no ... within 10 s' means that the step waited without success."},
	{"XFAIL", "It failed in the way that a known finding describes.",
	 "A finding of its suite that applies to this target, kernel and layout.", NULL},
	{"XPASS", "It passed although a known finding says that it fails.",
	 "The target was fixed, or the conditions of the finding are too general.",
	 "Remove the finding, or narrow its 'when:'."},
	{"SKIP", "It did not run: something that it requires is missing here.",
	 "A kernel, layout or target without a capability of 'requires:'.",
	 "The reason in the report. Skipped does not mean passed: verbatim coverage --from counts it "
	 "as missing."},
	{"INVALID", "The harness could not observe the scenario, so there is no judgement.",
	 "A runner that died, or an event stream that was cut or garbled.",
	 "The console and kernel messages (--output DIR)."},
	{"ERROR", "The code under test crashed or hung, or the kernel complained.",
	 "A segmentation fault, a call that never returned, a warning or oops of the kernel. "
	 "If a scenario says 'death:', a crash is a PASS or a FAIL.",
	 "log-HOST.txt and kernel.txt of the scenario's folder (--output DIR)."},
	{NULL},
};

const struct explanation explain_word[] = {
	{"answer", "The result of a step, or whether there was one.",
	 "'expected an answer in time' belongs to a wait that ran out; 'expected nothing' to a step "
	 "that must not get an answer.",
	 "'last on HOST', which shows what the other side did meanwhile."},
	{"nothing", "'expect: nothing': no answer may come during the time of 'within:'.",
	 "An event, a completion or an answer that the specification rules out here.",
	 "The answer, which the report shows; a time that is too short proves little."},
	{"death", "How the process that made the call ended: 'death: SEGV' expects that signal, "
	 "'death: none' that it lives.",
	 "The call crashed (got SIGSEGV), or did not crash although the scenario expects it.",
	 "log-HOST.txt of the scenario's folder (--output DIR)."},
	{"until", "The step is repeated until its expectation holds or its time is over.",
	 "The expected state was never reached; the report shows the last answer.",
	 "How often the step was repeated (verbatim run --verbose)."},
	{"outcome", "One of the outcomes that 'either:' allows.",
	 "No outcome came; the report says for each what excluded it.",
	 "The text of 'why:' in the scenario."},
	{NULL},
};

const struct explanation *explanation_find(const struct explanation *entry, const char *name)
{
	for (; entry && entry->name; entry++)
		if (!strcmp(entry->name, name))
			return entry;
	return NULL;
}

const struct explained_set *explained_set_of(const struct const_set *set)
{
	const struct explained_set *s;

	for (s = explained_sets; s->set; s++)
		if (s->set == set)
			return s;
	return NULL;
}
