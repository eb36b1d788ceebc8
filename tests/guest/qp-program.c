/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Queue pairs of libverbatim on a host's RDMA device: one point of TAP for each
 * promise. Each call of ibv_modify_qp() passes through here on its way to
 * libibverbs, and is noted. So do those of ibv_open_device(), because everybody may open
 * the devices of a host.
 */
#include <arpa/inet.h>
#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <verbatim/domain.h>
#include <verbatim/log.h>
#include <verbatim/memory.h>
#include <verbatim/transfer.h>

#include "../help/points.h"

#define MESSAGES 100
#define PATIENCE_MS 60000

static struct {
	int mask;
	enum ibv_qp_state state;
} call[16];
static int calls;
static int fails_at = -1;	/* the call that is made to fail, by an attribute too many */

__attribute__((visibility("default")))
int ibv_modify_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int attr_mask)
{
	static int (*real)(struct ibv_qp *qp, struct ibv_qp_attr *attr, int attr_mask);

	if (!real)
		*(void **)&real = dlsym(RTLD_NEXT, "ibv_modify_qp");
	call[calls % 16].mask = attr_mask;
	call[calls % 16].state = attr->qp_state;
	return real(qp, attr, attr_mask | (calls++ == fails_at ? IBV_QP_QKEY : 0));
}

static int open_fails;	/* errno; 0: it does not */

__attribute__((visibility("default")))
struct ibv_context *ibv_open_device(struct ibv_device *device)
{
	static struct ibv_context *(*real)(struct ibv_device *device);

	if (!real)
		*(void **)&real = dlsym(RTLD_NEXT, "ibv_open_device");
	errno = open_fails;
	return open_fails ? NULL : real(device);
}

static enum ibv_qp_state state_of(const struct vbm_qp *q)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;

	return ibv_query_qp(q->qp, &attr, IBV_QP_STATE, &init) ? IBV_QPS_UNKNOWN : attr.qp_state;
}

static struct vbm_qp *make(const struct sockaddr *address, const struct vbm_qp_options *o)
{
	struct vbm_error err = {0};
	struct vbm_qp *q;

	if (vbm_create_qp(&q, address, o, &err))
		die(err.msg);
	return q;
}

static void introduce(struct vbm_qp *one, struct vbm_qp *other)
{
	one->peer = other->local;
	other->peer = one->local;
	calls = 0;
	if (vbm_qp_to_init(one) || vbm_qp_to_init(other))
		printf("# %s%s\n", one->error.msg, other->error.msg);
}

static bool arrives(struct vbm_qp *q, struct ibv_wc *wc)
{
	int n, rc = vbm_wait_completions(q, wc, 1, PATIENCE_MS, &n);

	return rc == 0 && n == 1 && wc->status == IBV_WC_SUCCESS;
}

/* One message of 64 bytes from @from to @to, which is in memory of @to's. */
static bool message(struct vbm_qp *from, struct ibv_mr *source, struct vbm_qp *to,
		    struct ibv_mr *sink, unsigned char byte)
{
	struct vbm_recv recv = {.addr = sink->addr, .length = 64, .lkey = sink->lkey};
	struct vbm_send send = {
		.opcode = IBV_WR_SEND_WITH_IMM, .flags = IBV_SEND_SIGNALED, .addr = source->addr,
		.length = 64, .lkey = source->lkey, .imm = 0x01020304u + byte,
	};
	const unsigned char *bytes = sink->addr;
	struct ibv_wc wc;

	memset(source->addr, byte, 64);
	return !vbm_post_recvs(to, &recv, 1, NULL) && !vbm_post_sends(from, &send, 1, NULL) &&
	       arrives(to, &wc) && wc.byte_len == 64 && ntohl(wc.imm_data) == send.imm &&
	       arrives(from, &wc) && bytes[0] == byte && bytes[63] == byte;
}

static void talk(const struct sockaddr *address, enum ibv_qp_type type, const char *what)
{
	static unsigned char memory[2][64];
	struct vbm_qp_options o;
	struct vbm_qp *one, *other;
	struct ibv_mr *mr[2];
	bool good;
	int i;

	vbm_qp_options_init(&o);
	o.qp_type = type;
	one = make(address, &o);
	other = make(address, &o);
	mr[0] = ibv_reg_mr(one->pd, memory[0], 64, IBV_ACCESS_LOCAL_WRITE);
	mr[1] = ibv_reg_mr(other->pd, memory[1], 64, IBV_ACCESS_LOCAL_WRITE);
	introduce(one, other);
	good = mr[0] && mr[1] && !vbm_modify_qp_to_rts(one) && !vbm_modify_qp_to_rts(other);
	for (i = 0; good && i < MESSAGES; i++)
		good = i % 2 ? message(other, mr[1], one, mr[0], (unsigned char)i) :
			       message(one, mr[0], other, mr[1], (unsigned char)i);
	ok(good, what);
	ok(vbm_destroy_qp(one) == EBUSY, "what the program made in the domain is not taken away");
	ibv_dereg_mr(mr[0]);
	ibv_dereg_mr(mr[1]);
	ok(vbm_destroy_qp(one) == 0 && vbm_destroy_qp(other) == 0, "and is in nobody's way later");
}

/* More requests than one call of libibverbs has, and more than the queue has. */
static void batches(const struct sockaddr *address)
{
	struct vbm_qp *one = make(address, NULL), *other = make(address, NULL);
	static unsigned char memory[65536];
	struct vbm_recv recv[600] = {{.wr_id = 0}};
	struct vbm_send send[50];
	struct ibv_wc wc[50];
	size_t posted = 7, i;
	int n, got = 0, rc = 0;
	bool in_order = true;

	introduce(one, other);
	ok(vbm_modify_qp_to_rts(one) == 0 && vbm_modify_qp_to_rts(other) == 0, "a pair in RTS");
	ok(vbm_wait_completions(one, wc, 50, 10, &n) == ETIMEDOUT && n == 0, "nothing comes in time");
	ok(vbm_post_recvs(other, recv, 0, &posted) == 0 && posted == 0, "no requests are no error");
	rc = vbm_post_recvs(other, recv, 600, &posted);
	ok(rc == ENOMEM && posted >= 128 && posted < 600, "a queue that is full refuses the next one");
	for (i = 0; i < 50; i++)
		send[i] = (struct vbm_send){
			.wr_id = i, .opcode = IBV_WR_SEND, .flags = IBV_SEND_SIGNALED,
		};
	send[40].flags |= IBV_SEND_INLINE;
	send[40].addr = memory;
	send[40].length = sizeof(memory);	/* more than fits inline */
	rc = vbm_post_sends(one, send, 50, &posted);
	ok(rc != 0 && posted == 40, "the request that is refused is told by its index");
	while (got < 40 && !vbm_wait_completions(one, wc, 50, PATIENCE_MS, &n))
		for (i = 0; i < (size_t)n; i++)
			in_order = wc[i].status == IBV_WC_SUCCESS && wc[i].wr_id == (uint64_t)got++ &&
				   in_order;
	ok(got == 40 && in_order, "those before it are sent, in order");
	ok(vbm_reset_qp(NULL) == EINVAL && vbm_poll_completions(one, wc, 0, &n) == EINVAL &&
	   vbm_poll_completions(NULL, wc, 1, &n) == EINVAL &&
	   vbm_wait_completions(one, NULL, 1, 0, &n) == EINVAL &&
	   vbm_post_sends(one, NULL, 1, NULL) == EINVAL &&
	   vbm_post_recvs(NULL, recv, 1, &posted) == EINVAL && posted == 0, "NULL is EINVAL");
	ok(vbm_destroy_qp(one) == 0 && vbm_destroy_qp(other) == 0, "events are acknowledged");
}

/* Nobody says that the peer is gone: the request ends by itself. */
static void peer_dies(const struct sockaddr *address)
{
	struct vbm_send send = {.opcode = IBV_WR_SEND, .flags = IBV_SEND_SIGNALED};
	struct vbm_qp *one = make(address, NULL), *other = make(address, NULL);
	struct ibv_wc wc = {0};
	int n = 0;

	introduce(one, other);
	ok(!vbm_modify_qp_to_rts(one) && !vbm_modify_qp_to_rts(other) && !vbm_destroy_qp(other) &&
	   !vbm_post_sends(one, &send, 1, NULL), "a message to a queue pair that is gone");
	ok(!vbm_wait_completions(one, &wc, 1, PATIENCE_MS, &n) && n == 1 &&
	   wc.status == IBV_WC_RETRY_EXC_ERR, "ends, with the defaults of the library");
	vbm_destroy_qp(one);
}

static void two_calls(const struct sockaddr *address)
{
	struct vbm_qp *q = make(address, NULL);

	ok(vbm_modify_qp_to_rts(q) == EDESTADDRREQ && calls == 0 && state_of(q) == IBV_QPS_RESET,
	   "without a peer nothing is called");
	introduce(q, q);
	ok(call[0].mask == 0x39 && call[0].state == IBV_QPS_INIT, "the mask of INIT");
	calls = 0;
	ok(vbm_modify_qp_to_rts(q) == 0 && state_of(q) == IBV_QPS_RTS, "INIT to RTS");
	ok(calls == 2 && call[0].state == IBV_QPS_RTR && call[1].state == IBV_QPS_RTS,
	   "by two calls");
	ok(call[0].mask == 0x129181, "the mask of RTR");
	ok(call[1].mask == 0x12e01, "the mask of RTS");
	vbm_destroy_qp(q);
}

/* The way to RTR again, by an entry of the GID table that is empty. */
static bool diagnosed(struct vbm_qp *q)
{
	struct ibv_qp_attr attr = {.qp_state = IBV_QPS_RESET};

	q->place.gid_index = 200;
	return ibv_modify_qp(q->qp, &attr, IBV_QP_STATE) == 0 && vbm_qp_to_init(q) == 0 &&
	       vbm_qp_to_rtr(q) != 0 &&
	       strstr(q->error.msg, "; RC queue pair, INIT to RTR: ah_attr.grh.sgid_index is 200, "
				    "and that entry of the GID table is empty: see vbm_find_gid(3)");
}

static void a_call_fails(const struct sockaddr *address)
{
	struct vbm_qp *q = make(address, NULL);

	introduce(q, q);
	calls = 0;
	fails_at = 0;
	ok(vbm_modify_qp_to_rts(q) == EINVAL && calls == 1 && state_of(q) == IBV_QPS_INIT,
	   "after the first call fails there is no second");
	ok(strstr(q->error.msg, "to RTR: Invalid argument"), "and the text says which");
	calls = 0;
	fails_at = 1;
	ok(vbm_modify_qp_to_rts(q) == EINVAL && calls == 2 && state_of(q) == IBV_QPS_RTR,
	   "after the second fails the queue pair is in RTR");
	ok(strstr(q->error.msg, "to RTS: Invalid argument"), "and the text says which");
	fails_at = -1;
	ok(vbm_qp_to_rts(q) == 0 && state_of(q) == IBV_QPS_RTS, "from where it can go on");
	ok(diagnosed(q), "a call that the kernel refused has its cause from the device");
	vbm_destroy_qp(q);
}

/* A queue pair in that state is connected a second time, to another peer, with the same memory. */
static void used_again(const struct sockaddr *address, enum ibv_qp_state before)
{
	static const struct vbm_qp_address nobody;
	static const struct vbm_qp_terms none;
	static unsigned char memory[2][64];
	struct ibv_qp_attr err = {.qp_state = IBV_QPS_ERR};
	struct vbm_qp *one = make(address, NULL), *other = make(address, NULL), *third = make(address, NULL);
	struct ibv_mr *mr[2] = {
		ibv_reg_mr(one->pd, memory[0], 64, IBV_ACCESS_LOCAL_WRITE),
		ibv_reg_mr(third->pd, memory[1], 64, IBV_ACCESS_LOCAL_WRITE),
	};
	struct vbm_recv recv = {.wr_id = 1};
	struct ibv_wc wc;
	char text[80];
	bool good;
	int n;

	introduce(one, other);
	good = mr[0] && mr[1] && !vbm_modify_qp_to_rts(one) && !vbm_modify_qp_to_rts(other) &&
	       !vbm_destroy_qp(other);
	good = good && !vbm_poll_completions(one, &wc, 1, &n) && !vbm_post_recvs(one, &recv, 1, NULL);
	good = good && (before == IBV_QPS_RTS || !ibv_modify_qp(one->qp, &err, IBV_QP_STATE));
	calls = 0;
	snprintf(text, sizeof(text), "a queue pair in state %d goes back to INIT", (int)before);
	ok(good && vbm_reset_qp(one) == 0 && state_of(one) == IBV_QPS_INIT && calls == 2 &&
	   memcmp(&one->peer, &nobody, sizeof(nobody)) == 0 && memcmp(&one->terms, &none, sizeof(none)) == 0,
	   text);
	while (!vbm_poll_completions(one, &wc, 1, &n) && n)
		;
	one->peer = third->local;
	third->peer = one->local;
	good = !vbm_qp_to_init(third) && !vbm_modify_qp_to_rts(one) && !vbm_modify_qp_to_rts(third);
	ok(good && message(one, mr[0], third, mr[1], 1) && message(third, mr[1], one, mr[0], 2),
	   "and is connected to another peer; its memory has the key that it had");
	ibv_dereg_mr(mr[0]);
	ibv_dereg_mr(mr[1]);
	ok(vbm_destroy_qp(one) == 0 && vbm_destroy_qp(third) == 0, "and nothing of the first connection is left");
}

/* The device, the port and the entry of the GID table by the options, as perftest has -d, -i and -x. */
static void chosen(const struct sockaddr *address)
{
	struct vbm_gid_place place;
	struct vbm_domain *domain;
	struct vbm_domain_options d;
	struct vbm_qp_options o;
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;
	struct vbm_error err;
	struct vbm_qp *q;

	if (vbm_find_gid(address, &place, &err))
		printf("# %s\n", err.msg);
	vbm_qp_options_init(&o);
	o.device = place.device;
	o.port_num = place.port_num;
	o.gid_index = place.gid_index;
	o.flow_label = 0x4321;
	q = make(NULL, &o);
	ok(memcmp(&q->local.gid, &place.gid, 16) == 0 && q->place.gid_index == place.gid_index,
	   "a queue pair of a device, port and GID index");
	introduce(q, q);
	ok(!vbm_modify_qp_to_rts(q) && !ibv_query_qp(q->qp, &attr, IBV_QP_AV | IBV_QP_PORT | IBV_QP_PKEY_INDEX, &init) &&
	   attr.ah_attr.grh.sgid_index == place.gid_index && attr.ah_attr.grh.flow_label == 0x4321 &&
	   attr.port_num == place.port_num && attr.pkey_index == 0, "which the kernel has from it");
	vbm_destroy_qp(q);
	vbm_domain_options_init(&d);
	d.device = place.device;
	d.gid_index = place.gid_index;
	ok(!vbm_create_domain(&domain, NULL, &d, &err) && memcmp(&domain->place, &place, sizeof(place)) == 0,
	   "and a domain");
	o.domain = domain;
	ok(!vbm_create_qp(&q, NULL, &o, &err) && !vbm_destroy_qp(q), "in which there is such a queue pair");
	o.device = "none";
	ok(vbm_create_qp(&q, NULL, &o, &err) == EADDRNOTAVAIL && !vbm_destroy_domain(domain), "and no other");
	o.domain = NULL;
	ok(vbm_create_qp(&q, NULL, &o, &err) == EADDRNOTAVAIL && strstr(err.msg, "no RDMA device none"),
	   "a device that is not there");
	o.device = NULL;
	o.port_num = 9;
	ok(vbm_create_qp(&q, address, &o, &err) == EADDRNOTAVAIL, "a port that is not there");
	o.port_num = 0;
	o.gid_index = 200;
	ok(vbm_create_qp(&q, address, &o, &err) == EADDRNOTAVAIL, "a GID index that is empty");
	o.gid_index = -1;
	o.pkey_index = 1000;
	ok(vbm_create_qp(&q, address, &o, &err) == EINVAL && strstr(err.msg, "pkey_index: 1000 is more than the port"),
	   "a P_Key index beyond the table");
}

#define READS 64

/* Memory by the helper, one send from two blocks into three, and many reads at a time. */
static void blocks(const struct sockaddr *address)
{
	static unsigned char memory[2][256];
	struct vbm_memory near = {0}, far = {0};
	struct vbm_remote_memory remote;
	unsigned char wire[VBM_REMOTE_MEMORY_BYTES];
	struct vbm_qp *one, *other;
	struct vbm_qp_options o;
	struct vbm_error err;
	struct ibv_sge out[2], in[3];
	struct vbm_send send = {.opcode = IBV_WR_SEND, .flags = IBV_SEND_SIGNALED, .num_sge = 2, .sge = out};
	struct vbm_recv recv = {.num_sge = 3, .sge = in};
	struct ibv_wc wc;
	int i, good = 1;

	vbm_qp_options_init(&o);
	o.max_send_sge = 2;
	o.max_recv_sge = 3;
	o.max_inline_data = 64;
	o.inline_sends = 1;
	one = make(address, &o);
	other = make(address, &o);
	introduce(one, other);
	ok(one->options.max_rd_atomic > 1 && !vbm_modify_qp_to_rts(one) && !vbm_modify_qp_to_rts(other) &&
	   one->terms.max_rd_atomic == one->options.max_rd_atomic, "the default is as many reads as the device can have");
	ok(!vbm_register_memory(&near, one->pd, memory[0], 256, IBV_ACCESS_LOCAL_WRITE, &err) &&
	   !vbm_register_memory(&far, other->pd, memory[1], 256, IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ, &err),
	   "memory for remote writes, whose device needs local ones, too");
	memset(memory[0], 7, 100);
	memset(memory[0] + 100, 8, 100);
	out[0] = (struct ibv_sge){(uintptr_t)memory[0], 100, near.lkey};
	out[1] = (struct ibv_sge){(uintptr_t)memory[0] + 100, 100, near.lkey};
	for (i = 0; i < 3; i++)
		in[i] = (struct ibv_sge){(uintptr_t)memory[1] + 70 * (2 - (unsigned int)i), 70, far.lkey};
	ok(!vbm_post_recvs(other, &recv, 1, NULL) && !vbm_post_sends(one, &send, 1, NULL) && arrives(one, &wc) &&
	   arrives(other, &wc) && wc.byte_len == 200 && memory[1][140] == 7 && memory[1][70 + 29] == 7 &&
	   memory[1][70 + 30] == 8 && memory[1][59] == 8, "two blocks arrive in three");
	send = (struct vbm_send){.opcode = IBV_WR_RDMA_WRITE, .flags = IBV_SEND_SIGNALED, .addr = wire, .length = 20};
	vbm_pack_remote_memory(wire, &far.remote);
	good = !vbm_unpack_remote_memory(&remote, wire, sizeof(wire));
	send.rkey = remote.rkey;
	send.remote_addr = remote.addr + 236;
	ok(good && remote.length == 256 && !vbm_post_sends(one, &send, 1, NULL) && arrives(one, &wc) &&
	   memcmp(memory[1] + 236, wire, 20) == 0, "few bytes go inline, from memory without a key");
	send = (struct vbm_send){.opcode = IBV_WR_RDMA_READ, .flags = IBV_SEND_SIGNALED, .addr = memory[0], .length = 20,
				 .lkey = near.lkey, .rkey = remote.rkey, .remote_addr = remote.addr + 236};
	for (i = 0; i < READS; i++)
		good = good && !vbm_post_sends(one, &send, 1, NULL);
	for (i = 0; i < READS; i++)
		good = good && arrives(one, &wc);
	ok(good && memcmp(memory[0], wire, 20) == 0, "and many reads at a time come back");
	ok(!vbm_deregister_memory(&near) && !near.mr && !vbm_deregister_memory(&far) && !vbm_destroy_qp(one) &&
	   !vbm_destroy_qp(other), "all of it ends");
}

/* Each device is one failure, and the message of the call is that of the first. */
static void cannot_open(const struct sockaddr *address)
{
	unsigned long long before = vbm_count_failures();
	struct vbm_gid_place place;
	struct vbm_error err = {0};
	int count = 0;

	ibv_free_device_list(ibv_get_device_list(&count));
	open_fails = EACCES;
	ok(vbm_find_gid(address, &place, &err) == EACCES && strstr(err.msg, "cannot open the device"),
	   "a device that cannot be opened is the reason");
	ok(vbm_count_failures() - before == (unsigned long long)count, "and is told once");
	open_fails = 0;
}

static void finds(const struct sockaddr *address)
{
	struct sockaddr_in nobody = {.sin_family = AF_INET};
	struct vbm_gid_place place = {.port_num = 0}, any;
	struct vbm_error err = {0};
	struct vbm_qp *q;

	ok(vbm_find_gid(address, &place, &err) == 0 && place.port_num == 1,
	   "the address belongs to a device");
	q = make(NULL, NULL);
	any = q->place;
	ok(strcmp(any.device, place.device) == 0, "the first device of this host is that one");
	vbm_destroy_qp(q);
	inet_pton(AF_INET, "192.0.2.77", &nobody.sin_addr);
	ok(vbm_find_gid((struct sockaddr *)&nobody, &place, &err) == EADDRNOTAVAIL,
	   "another address belongs to none");
	ok(vbm_create_qp(&q, (struct sockaddr *)&nobody, NULL, &err) == EADDRNOTAVAIL && !q,
	   "and no queue pair is made there");
	cannot_open(address);
}

static void refused(const struct sockaddr *address)
{
	struct vbm_qp_options o;
	struct vbm_error err = {0};
	struct vbm_qp *q;

	vbm_qp_options_init(&o);
	o.max_send_wr = UINT32_MAX;
	ok(vbm_create_qp(&q, address, &o, &err) == EINVAL && !q, "options beyond the device's limits");
	ok(strstr(err.msg, "is more than the device"), "are refused with the member and the limit");
	vbm_qp_options_init(&o);
	o.max_inline_data = 1 << 20;
	ok(vbm_create_qp(&q, address, &o, &err) == EINVAL && !q &&
	   strstr(err.msg, "max_inline_data: 1048576 may be more than the device allows: ibv_create_qp fails"),
	   "a limit that the device does not tell has the call's name, too");
}

int main(int argc, char **argv)
{
	union {
		struct sockaddr sa;
		struct sockaddr_in in;
		struct sockaddr_in6 in6;
	} a = {.in = {.sin_family = AF_INET}};
	const char *text = argc > 1 ? argv[1] : "";

	if (inet_pton(AF_INET, text, &a.in.sin_addr) != 1) {
		a.in6 = (struct sockaddr_in6){.sin6_family = AF_INET6};
		if (inet_pton(AF_INET6, text, &a.in6.sin6_addr) != 1) {
			fprintf(stderr, "usage: qp-program ADDRESS\n");
			return 2;
		}
	}
	finds(&a.sa);
	refused(&a.sa);
	two_calls(&a.sa);
	a_call_fails(&a.sa);
	talk(&a.sa, IBV_QPT_RC, "100 messages of a reliable connection");
	talk(&a.sa, IBV_QPT_UC, "100 messages of an unreliable connection");
	used_again(&a.sa, IBV_QPS_RTS);
	used_again(&a.sa, IBV_QPS_ERR);
	batches(&a.sa);
	blocks(&a.sa);
	chosen(&a.sa);
	peer_dies(&a.sa);
	return end_points();
}
