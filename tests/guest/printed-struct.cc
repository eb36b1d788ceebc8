/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A stranger's program: the handshake of docs/handshake.md with libibverbs alone, and its struct
 * sent raw, as "The plain struct" says. It has the command line and prints the lines that
 * "Measuring a program" asks for, so scenarios measure it. Other options than these are ignored:
 *
 *	printed-struct [--early] [--timeout=MS] ADDRESS PORT [SERVER]
 *
 * --early breaks a promise: the server says that it is connected when it has answered.
 */
#include <arpa/inet.h>
#include <infiniband/verbs.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

namespace {

const uint32_t flag_sync = 1, flag_ack = 2;
const uint16_t the_magic = 0x5642;
const int MESSAGE_SIZE = 64;

struct message_header {
	uint32_t flag;
};

struct message {
	message_header header;
	uint16_t magic = the_magic;
	uint16_t lid = 0;
	uint16_t peer_lid = 0;
	uint32_t qp_num = 0;
	uint32_t peer_qp_num = 0;
	union ibv_gid gid;
	union ibv_gid peer_gid;
	bool is_setup_sync() { return header.flag == flag_sync; }
	bool is_setup_sync_ack() { return header.flag == (flag_sync | flag_ack); }
	bool is_setup_ack() { return header.flag == flag_ack; }
} __attribute__((packed));

struct device {
	ibv_context *context = nullptr;
	ibv_pd *pd = nullptr;
	ibv_cq *cq = nullptr;
	ibv_mr *mr = nullptr;
	ibv_qp *qp = nullptr;
	uint8_t port = 1;
	int gid_index = 0;
	union ibv_gid gid = {};
	ibv_mtu mtu = IBV_MTU_1024;
	char memory[2][MESSAGE_SIZE] = {};
};

struct peer_values {
	uint32_t qp_num;
	uint16_t lid;
	union ibv_gid gid;
};

int die(const char *what)
{
	std::fprintf(stderr, "printed-struct: %s: %s\n", what, std::strerror(errno));
	std::exit(2);
}

sockaddr_storage address(const char *text, const char *port, union ibv_gid *gid)
{
	sockaddr_storage a = {};
	auto *in = reinterpret_cast<sockaddr_in *>(&a);
	auto *in6 = reinterpret_cast<sockaddr_in6 *>(&a);

	std::memset(gid, 0, sizeof(*gid));
	if (inet_pton(AF_INET, text, &in->sin_addr) == 1) {
		in->sin_family = AF_INET;
		in->sin_port = htons(static_cast<uint16_t>(std::atoi(port)));
		gid->raw[10] = gid->raw[11] = 0xff;
		std::memcpy(gid->raw + 12, &in->sin_addr, 4);
	} else if (inet_pton(AF_INET6, text, &in6->sin6_addr) == 1) {
		in6->sin6_family = AF_INET6;
		in6->sin6_port = htons(static_cast<uint16_t>(std::atoi(port)));
		std::memcpy(gid->raw, &in6->sin6_addr, 16);
	} else {
		die(text);
	}
	return a;
}

bool find(device *d, const union ibv_gid &gid)
{
	ibv_port_attr port;
	union ibv_gid entry;

	if (ibv_query_port(d->context, 1, &port))
		return false;
	d->mtu = port.active_mtu;
	for (int i = port.gid_tbl_len - 1; i >= 0; i--) {
		if (ibv_query_gid(d->context, 1, i, &entry) == 0 && std::memcmp(&entry, &gid, sizeof(gid)) == 0) {
			d->gid_index = i;
			d->gid = gid;
			return true;
		}
	}
	return false;
}

void open_device(device *d, const union ibv_gid &gid)
{
	ibv_device **list = ibv_get_device_list(nullptr);
	ibv_qp_init_attr init = {};
	ibv_qp_attr attr = {};
	bool found = false;

	for (ibv_device **p = list; p && *p && !found; p++) {
		d->context = ibv_open_device(*p);
		found = d->context && find(d, gid);
	}
	if (!found || !(d->pd = ibv_alloc_pd(d->context)) ||
	    !(d->cq = ibv_create_cq(d->context, 8, nullptr, nullptr, 0)) ||
	    !(d->mr = ibv_reg_mr(d->pd, d->memory, sizeof(d->memory), IBV_ACCESS_LOCAL_WRITE)))
		die("device");
	ibv_free_device_list(list);
	init.qp_type = IBV_QPT_RC;
	init.send_cq = init.recv_cq = d->cq;
	init.cap = {4, 4, 1, 1, 0};
	attr.qp_state = IBV_QPS_INIT;
	attr.port_num = d->port;
	attr.qp_access_flags = IBV_ACCESS_REMOTE_WRITE;
	if (!(d->qp = ibv_create_qp(d->pd, &init)) ||
	    ibv_modify_qp(d->qp, &attr, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS))
		die("queue pair");
}

void post(device *d, int which)
{
	ibv_sge sge = {reinterpret_cast<uintptr_t>(d->memory[which]), MESSAGE_SIZE, d->mr->lkey};
	ibv_recv_wr recv = {}, *bad_recv;
	ibv_send_wr send = {}, *bad_send;

	recv.sg_list = send.sg_list = &sge;
	recv.num_sge = send.num_sge = 1;
	send.opcode = IBV_WR_SEND;
	send.send_flags = IBV_SEND_SIGNALED;
	send.wr_id = 1;
	if (which ? ibv_post_send(d->qp, &send, &bad_send) : ibv_post_recv(d->qp, &recv, &bad_recv))
		die("post");
}

int to_rts(device *d, const peer_values &peer)
{
	ibv_qp_attr attr = {};
	int err;

	attr.qp_state = IBV_QPS_RTR;
	attr.path_mtu = d->mtu;
	attr.dest_qp_num = peer.qp_num;
	attr.max_dest_rd_atomic = 1;
	attr.min_rnr_timer = 12;
	attr.ah_attr.is_global = 1;
	attr.ah_attr.port_num = d->port;
	attr.ah_attr.grh.dgid = peer.gid;
	attr.ah_attr.grh.sgid_index = static_cast<uint8_t>(d->gid_index);
	attr.ah_attr.grh.hop_limit = 64;
	err = ibv_modify_qp(d->qp, &attr, IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN |
			    IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER);
	if (err)
		return err;
	attr.qp_state = IBV_QPS_RTS;
	attr.timeout = 14;
	attr.retry_cnt = 6;
	attr.rnr_retry = 7;
	attr.max_rd_atomic = 1;
	return ibv_modify_qp(d->qp, &attr, IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
			     IBV_QP_SQ_PSN | IBV_QP_MAX_QP_RD_ATOMIC);
}

const char *hear(int s, message *m)
{
	ssize_t n = recv(s, m, sizeof(*m), MSG_WAITALL);
	static const union ibv_gid none = {};

	if (n < 0 && errno == EAGAIN)
		return "ETIMEDOUT";
	if (n != static_cast<ssize_t>(sizeof(*m)))
		return "ECONNRESET";
	if (m->magic != the_magic)
		return "EPROTO";
	union ibv_gid gid = m->is_setup_sync_ack() ? m->peer_gid : m->gid;
	uint32_t number = m->is_setup_sync_ack() ? m->peer_qp_num : m->qp_num;
	return number > 0xffffff || std::memcmp(&gid, &none, sizeof(gid)) == 0 ? "EPROTO" : nullptr;
}

bool tell(int s, const message &m)
{
	return send(s, &m, sizeof(m), MSG_NOSIGNAL) == static_cast<ssize_t>(sizeof(m));
}

void connected(const peer_values &peer)
{
	char gid[INET6_ADDRSTRLEN];

	inet_ntop(AF_INET6, peer.gid.raw, gid, sizeof(gid));
	std::printf("peer: queue pair %u, LID %u, GID %s\nconnected\n", peer.qp_num, peer.lid, gid);
}

const char *client(device *d, int s, peer_values *peer)
{
	message m = {}, reply;
	const char *why;

	m.header.flag = flag_sync;
	m.qp_num = d->qp->qp_num;
	m.gid = d->gid;
	if (!tell(s, m))
		return "ECONNRESET";
	why = hear(s, &reply);
	if (why)
		return why;
	if (!reply.is_setup_sync_ack())
		return "EPROTO";
	*peer = {reply.peer_qp_num, reply.peer_lid, reply.peer_gid};
	if (to_rts(d, *peer))
		return "EINVAL";
	m.header.flag = flag_ack;
	m.peer_qp_num = reply.peer_qp_num;
	m.peer_lid = reply.peer_lid;
	m.peer_gid = reply.peer_gid;
	return tell(s, m) ? nullptr : "ECONNRESET";
}

const char *server(device *d, int s, peer_values *peer, bool early)
{
	message m, third;
	const char *why = hear(s, &m);

	if (why)
		return why;
	if (!m.is_setup_sync())
		return "EPROTO";
	*peer = {m.qp_num, m.lid, m.gid};
	if (to_rts(d, *peer))
		return "EINVAL";
	m.header.flag = flag_sync | flag_ack;
	m.peer_qp_num = d->qp->qp_num;
	m.peer_lid = 0;
	m.peer_gid = d->gid;
	if (!tell(s, m))
		return "ECONNRESET";
	if (early)
		connected(*peer);
	why = hear(s, &third);
	if (why)
		return why;
	return third.is_setup_ack() && third.qp_num == m.qp_num ? nullptr : "EPROTO";
}

int talk(device *d, int s)
{
	ibv_wc wc;
	char byte;
	int n;

	std::snprintf(d->memory[1], MESSAGE_SIZE, "hello from queue pair %u", d->qp->qp_num);
	post(d, 1);
	while ((n = ibv_poll_cq(d->cq, 1, &wc)) >= 0) {
		if (n && wc.status == IBV_WC_SUCCESS)
			std::printf(wc.wr_id ? "acknowledged\n" : "received: %s\n", d->memory[0]);
		if (recv(s, &byte, 1, MSG_DONTWAIT) == 0)
			return 0;
		if (n == 0)
			poll(nullptr, 0, 2);
	}
	return 1;
}

} /* namespace */

int main(int argc, char **argv)
{
	bool early = false;
	union ibv_gid own_gid, other_gid;
	const char *why;
	device d;
	peer_values peer = {};
	int at = 1, s, listener;
	timeval patience = {5, 0};

	std::setvbuf(stdout, nullptr, _IOLBF, 0);
	for (; at < argc && std::strncmp(argv[at], "--", 2) == 0; at++) {
		early = early || std::string(argv[at]) == "--early";
		if (std::strncmp(argv[at], "--timeout=", 10) == 0)
			patience.tv_sec = std::atoi(argv[at] + 10) / 1000;
	}
	if (argc - at < 2)
		return 2;
	bool is_client = argc - at == 3;
	sockaddr_storage own = address(argv[at], argv[at + 1], &own_gid);
	socklen_t len = own.ss_family == AF_INET ? sizeof(sockaddr_in) : sizeof(sockaddr_in6);
	open_device(&d, own_gid);
	post(&d, 0);
	std::printf("own: queue pair %u\n", d.qp->qp_num);
	s = socket(own.ss_family, SOCK_STREAM, 0);
	if (is_client) {
		sockaddr_storage to = address(argv[at + 2], argv[at + 1], &other_gid);
		if (connect(s, reinterpret_cast<sockaddr *>(&to), len))
			die("connect");
	} else {
		listener = s;
		int on = 1;

		setsockopt(s, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
		if (bind(s, reinterpret_cast<sockaddr *>(&own), len) || listen(s, 4))
			die("listen");
		std::printf("listening\n");
		s = accept(listener, nullptr, nullptr);
	}
	setsockopt(s, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	why = is_client ? client(&d, s, &peer) : server(&d, s, &peer, early);
	if (why) {
		std::printf("failed: %s\n", why);
		return 1;
	}
	if (!early)
		connected(peer);
	return talk(&d, s);
}
