/* SPDX-License-Identifier: BSD-2-Clause */
/* Long: the messages of one protocol, which these steps write and show member by member. */
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "call/handshake-message.h"
#include "call/step-util.h"
#include "names/consts.h"
#include "names/host.h"

/*
 * The other end of a program that connects its queue pairs by the handshake of
 * docs/handshake.md: it sends each message with any member right or wrong, and shows what
 * the program sends.
 */

/* A TCP connection of the handshake steps. */
struct tcp_object {
	struct object base;
	int fd;				/* owned */
	bool is_client;
	int version;			/* of its messages; a server takes that of the client */
	bool plain;			/* it speaks the plain struct, not versions 0 and 1 */
	struct handshake_plain form;
	size_t sent, received;		/* bytes of the last message of each direction; 0: none yet */
	enum handshake_format sent_format, received_format;
	uint8_t out[HANDSHAKE_MESSAGE_MAX], in[HANDSHAKE_MESSAGE_MAX];
};

#define MTU_1024 3

/* The address of this end as a GID of RoCE v2. */
static void gid_of(int fd, uint8_t gid[HANDSHAKE_GID_SIZE])
{
	struct sockaddr_storage sa;
	socklen_t len = sizeof(sa);

	memset(gid, 0, HANDSHAKE_GID_SIZE);
	if (getsockname(fd, (struct sockaddr *)&sa, &len) < 0)
		return;
	if (sa.ss_family == AF_INET6) {
		memcpy(gid, &((struct sockaddr_in6 *)&sa)->sin6_addr, HANDSHAKE_GID_SIZE);
	} else {
		memset(gid + 10, 0xff, 2);
		memcpy(gid + 12, &((struct sockaddr_in *)&sa)->sin_addr, 4);
	}
}

/* A message under construction. */
struct letter {
	const struct tcp_object *tcp;
	const struct qp_object *qp;	/* NULL: this end has none */
	const struct host_info *host;
	enum handshake_format format;
	size_t private_length;
	uint8_t *bytes;
};

static enum handshake_format arg_format(const struct value *args, const struct tcp_object *t)
{
	if (t->plain)
		return HANDSHAKE_PLAIN;
	if (t->version == 0)
		return HANDSHAKE_VERSION_0;
	return value_get_int(args, "flag", 0) == 4 ? HANDSHAKE_REFUSED : HANDSHAKE_VERSION_1;
}

struct named_value {
	const char *name;
	uint64_t value;
};

static uint64_t value_named(const struct named_value *row, size_t count, const char *name)
{
	size_t i;

	for (i = 0; i < count; i++)
		if (strcmp(row[i].name, name) == 0)
			return row[i].value;
	return 0;
}

/* The value of a member of this end, unless a message before or the step says something else. */
static uint64_t own_value(const struct letter *l, const char *name)
{
	const struct named_value row[] = {
		{"qp_num", l->qp ? l->qp->base.qp->qp_num : 0},
		{"gid_index", (uint64_t)l->host->gid_index4},
		{"mtu", MTU_1024}, {"psn", 0x1234},
		{"responder_resources", 1}, {"initiator_depth", 1}, {"capabilities", 7},
	};

	return value_named(row, ARRAY_SIZE(row), name);
}

static uint64_t head_value(const struct letter *l, const char *name)
{
	static const uint64_t magic[] = {
		[HANDSHAKE_VERSION_0] = 0x5642, [HANDSHAKE_VERSION_1] = 0x5643,
		[HANDSHAKE_REFUSED] = 0x5643, [HANDSHAKE_PLAIN] = 0x5642,
	};
	const struct named_value row[] = {
		{"version", l->format == HANDSHAKE_VERSION_0 ? 0 : 1},
		{"flag", l->tcp->is_client ? l->tcp->sent ? 2 : 1 : 3},
		{"length", handshake_message_size(l->format, &l->tcp->form) + l->private_length},
		{"magic", magic[l->format]}, {"private_length", l->private_length},
		{"reason", 3}, {"versions", 3},
	};

	return value_named(row, ARRAY_SIZE(row), name);
}

/* Fills a member in: this end's values stay those of its last message, the peer's are sent back. */
static void fill_member(const struct letter *l, const struct handshake_member *m)
{
	const struct tcp_object *t = l->tcp;
	bool own = m->whose == (t->is_client ? HANDSHAKE_OF_CLIENT : HANDSHAKE_OF_SERVER);
	const char *name = strncmp(m->name, "peer_", 5) == 0 ? m->name + 5 : m->name;

	if (m->whose == HANDSHAKE_OF_HEAD)
		handshake_message_put(l->bytes, m, t->form.network_order, head_value(l, m->name));
	else if (own && t->sent && t->sent_format == l->format)
		memcpy(l->bytes + m->at, t->out + m->at, m->size);
	else if (own && m->size == HANDSHAKE_GID_SIZE)
		gid_of(t->fd, l->bytes + m->at);
	else if (own)
		handshake_message_put(l->bytes, m, t->form.network_order, own_value(l, name));
	else if (t->received && t->received_format == l->format)
		memcpy(l->bytes + m->at, t->in + m->at, m->size);
}

/* Writes the value that the step has for a member, if it has one. */
static int overwrite(const struct letter *l, const struct handshake_member *m,
		     const struct value *args, struct vbm_error *err)
{
	union ibv_gid gid;

	if (!arg_given(args, m->name))
		return 0;
	if (m->size != HANDSHAKE_GID_SIZE) {
		handshake_message_put(l->bytes, m, l->tcp->form.network_order,
				      (uint64_t)value_get_int(args, m->name, 0));
		return 0;
	}
	if (step_gid_parse(&gid, value_get_string(args, m->name, ""), err) < 0)
		return vbm_wrap(err, "%s", m->name);
	memcpy(l->bytes + m->at, gid.raw, HANDSHAKE_GID_SIZE);
	return 0;
}

/* Returns the number of bytes, or a negative errno. */
static int compose(struct letter *l, const struct value *args, struct vbm_error *err)
{
	size_t i, size = handshake_message_size(l->format, &l->tcp->form), behind = 0;
	auto_free uint8_t *private = NULL, *more = NULL;
	struct handshake_member m;

	if (arg_bytes(args, "private_data", &private, &l->private_length, err) < 0 ||
	    arg_bytes(args, "behind", &more, &behind, err) < 0)
		return -err->code;
	memset(l->bytes, 0, HANDSHAKE_MESSAGE_MAX);
	if (l->format == HANDSHAKE_PLAIN)
		memcpy(l->bytes, l->tcp->form.header, l->tcp->form.header_size);
	for (i = 0; handshake_message_member(l->format, &l->tcp->form, i, &m); i++) {
		fill_member(l, &m);
		if (overwrite(l, &m, args, err) < 0)
			return -err->code;
	}
	if (private)
		memcpy(l->bytes + size, private, l->private_length);
	if (more)
		memcpy(l->bytes + size + l->private_length, more, behind);
	return (int)(size + l->private_length + behind);
}

/*
 * Writes the message that the step's arguments describe. What they leave out is right: this
 * end's values are those of its last message, or of @qp (may be NULL) and its address; the
 * values of the other end are sent back. Returns the number of bytes, or a negative errno.
 */
static int write_letter(uint8_t bytes[HANDSHAKE_MESSAGE_MAX], enum handshake_format *format,
			const struct tcp_object *tcp, const struct host_info *host,
			const struct qp_object *qp, const struct value *args, struct vbm_error *err)
{
	struct letter l = {.tcp = tcp, .qp = qp, .host = host, .bytes = bytes};

	*format = l.format = arg_format(args, tcp);
	return compose(&l, args, err);
}

static void put_member(const struct tcp_object *t, const struct handshake_member *m,
		       struct value *result)
{
	union ibv_gid gid;

	if (m->size == HANDSHAKE_GID_SIZE) {
		memcpy(gid.raw, t->in + m->at, sizeof(gid.raw));
		value_set(result, m->name, step_gid_to_value(&gid));
	} else {
		value_set_int(result, m->name,
			      (int64_t)handshake_message_get(t->in, m, t->form.network_order));
	}
}

/* Puts the members of the last received message into the result. */
static void show_letter(const struct tcp_object *t, struct value *result)
{
	size_t i, fixed = handshake_message_size(t->received_format, &t->form);
	struct handshake_member m;

	for (i = 0; handshake_message_member(t->received_format, &t->form, i, &m); i++)
		put_member(t, &m, result);
	if (t->plain)
		value_set(result, "header", bytes_to_value(t->in, t->form.header_size));
	value_set(result, "private_data", bytes_to_value(t->in + fixed, t->received - fixed));
}

#define PORT 7471

static int tcp_release(struct object *o)
{
	return close(((struct tcp_object *)o)->fd);
}

static struct tcp_object *add_tcp_object(struct step_ctx *ctx, int fd, enum object_kind kind)
{
	struct tcp_object *t = xcalloc(1, sizeof(*t));

	t->fd = fd;
	t->base.release = tcp_release;
	step_keep_object(ctx, &t->base, kind);
	return t;
}

static struct tcp_object *arg_tcp(struct step_ctx *ctx, const struct value *args,
				  struct vbm_error *err)
{
	return (struct tcp_object *)arg_object(ctx, args, "tcp", OBJECT_TCP, err);
}

/* How the struct is printed: with a header of 4 bytes that is the flag, unless args say more. */
static int arg_form(const struct value *args, struct tcp_object *t, struct vbm_error *err)
{
	struct handshake_plain *form = &t->form;
	auto_free uint8_t *header = NULL;
	size_t size;

	t->plain = value_get_bool(args, "plain", false);
	if (arg_bytes(args, "header", &header, &size, err) < 0)
		return -err->code;
	form->header_size = header ? size : 4;
	if (header)
		memcpy(form->header, header, size);
	form->flag_at = (size_t)value_get_int(args, "flag_at", 0);
	form->flag_size = (size_t)value_get_int(args, "flag_size", 4);
	form->network_order = value_get_bool(args, "network_order", !t->plain);
	if (form->flag_size & (form->flag_size - 1))
		return vbm_fail(err, EINVAL, "flag_size: %zu is not 1, 2, 4 or 8", form->flag_size);
	if (form->flag_at + form->flag_size > form->header_size)
		return vbm_fail(err, EINVAL, "flag_at: the flag ends at byte %zu, and the header has %zu bytes",
				form->flag_at + form->flag_size, form->header_size);
	return 0;
}

static socklen_t size_of(const struct sockaddr_storage *sa)
{
	return sa->ss_family == AF_INET ? sizeof(struct sockaddr_in) : sizeof(struct sockaddr_in6);
}

STEP(run_listen)
{
	const char *text = value_get_string(args, "addr", ctx->host->ip4);
	struct sockaddr_storage sa;
	socklen_t len = sizeof(sa);
	int fd, on = 1, ret;

	if (step_address_parse(&sa, text, (int)value_get_int(args, "port", PORT), err) < 0)
		return -err->code;
	fd = socket(sa.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return vbm_fail(err, errno, "cannot make a socket: %s", strerror(errno));
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	errno = 0;
	ret = bind(fd, (struct sockaddr *)&sa, size_of(&sa)) || listen(fd, 8) ? -1 : 0;
	put_minus1(result, ret);
	if (ret == 0 && getsockname(fd, (struct sockaddr *)&sa, &len) == 0)
		value_set_int(result, "port", step_address_port((struct sockaddr *)&sa, len));
	if (ret == 0)
		add_tcp_object(ctx, fd, OBJECT_TCP_LISTENER);
	else
		close(fd);
	return 0;
}

static void put_peer(int fd, struct value *result)
{
	struct sockaddr_storage sa;
	socklen_t len = sizeof(sa);

	if (getpeername(fd, (struct sockaddr *)&sa, &len) < 0)
		return;
	value_set(result, "peer_addr", step_address_to_value((struct sockaddr *)&sa, len));
}

/* Each write of a message in pieces shall leave at once. */
static int new_tcp(struct step_ctx *ctx, const struct value *args, int fd, bool is_client,
		   struct value *result, struct vbm_error *err)
{
	struct tcp_object *t = add_tcp_object(ctx, fd, OBJECT_TCP);
	int on = 1;

	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	t->is_client = is_client;
	t->version = (int)value_get_int(args, "version", 1);
	put_peer(fd, result);
	return arg_form(args, t, err);
}

STEP(run_accept)
{
	struct object *o = arg_object(ctx, args, "listener", OBJECT_TCP_LISTENER, err);
	int fd, listener;

	if (!o)
		return -err->code;
	listener = ((struct tcp_object *)o)->fd;
	if (step_await(ctx, listener, "connection", err) < 0)
		return -err->code;
	errno = 0;
	fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
	put_minus1(result, fd < 0 ? -1 : 0);
	return fd < 0 ? 0 : new_tcp(ctx, args, fd, false, result, err);
}

STEP(run_connect)
{
	struct sockaddr_storage to, from;
	int fd, ret;

	if (step_address_parse(&to, value_get_string(args, "addr", ""),
			       (int)value_get_int(args, "port", PORT), err) < 0 ||
	    step_address_parse(&from, to.ss_family == AF_INET ? ctx->host->ip4 : ctx->host->ip6, 0, err) < 0)
		return -err->code;
	fd = socket(to.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0 || bind(fd, (struct sockaddr *)&from, size_of(&from)) < 0)
		return vbm_fail(err, errno, "cannot make a socket: %s", strerror(errno));
	call_begins(ctx);
	ret = connect(fd, (struct sockaddr *)&to, size_of(&to));
	put_minus1(result, ret);
	if (ret == 0)
		return new_tcp(ctx, args, fd, true, result, err);
	close(fd);
	return 0;
}

/* Sends @len bytes, @piece at a time. Returns 0, or -1 with errno. */
static int send_pieces(int fd, const uint8_t *bytes, size_t len, size_t piece, size_t *done)
{
	ssize_t n;

	for (*done = 0; *done < len; *done += (size_t)n) {
		n = send(fd, bytes + *done, len - *done < piece ? len - *done : piece, MSG_NOSIGNAL);
		if (n < 0)
			return -1;
	}
	return 0;
}

STEP(run_send)
{
	struct tcp_object *t = arg_tcp(ctx, args, err);
	uint8_t bytes[HANDSHAKE_MESSAGE_MAX];
	enum handshake_format format;
	struct object *qp = NULL;
	size_t cut, done;
	int len, ret;

	if (!t || arg_object_opt(ctx, args, "qp", OBJECT_QP, &qp, err) < 0)
		return -err->code;
	len = write_letter(bytes, &format, t, ctx->host, (struct qp_object *)qp, args, err);
	if (len < 0)
		return len;
	cut = (size_t)value_get_int(args, "cut", len);
	call_begins(ctx);
	ret = send_pieces(t->fd, bytes, cut < (size_t)len ? cut : (size_t)len,
			  (size_t)value_get_int(args, "pieces", HANDSHAKE_MESSAGE_MAX), &done);
	put_minus1(result, ret);
	value_set_int(result, "sent", (int64_t)done);
	memcpy(t->out, bytes, sizeof(bytes));
	t->sent = (size_t)len;
	t->sent_format = format;
	return 0;
}

/* Bytes that have come so far. A message counts for the connection only when it is whole. */
struct incoming {
	uint8_t bytes[HANDSHAKE_MESSAGE_MAX];
	size_t got;
	enum handshake_format format;
};

/* Reads up to @want bytes. Returns 0, 1 at the end of the connection, or a negative errno. */
static int read_up_to(struct step_ctx *ctx, int fd, struct incoming *in, size_t want,
		      struct vbm_error *err)
{
	ssize_t n;
	int ret;

	while (in->got < want) {
		ret = step_wait_readable(&fd, 1, ctx->deadline_ns);
		if (ret == -ETIMEDOUT)
			return step_wait_failed(ctx, err, "message and no end of the connection"), -ETIMEDOUT;
		if (ret < 0)
			return vbm_fail(err, -ret, "poll: %s", strerror(-ret));
		errno = 0;
		n = recv(fd, in->bytes + in->got, want - in->got, 0);
		if (n <= 0)
			return 1;
		in->got += (size_t)n;
	}
	return 0;
}

/* Reads a whole message. The length of version 1 is in its head. */
static int read_message(struct step_ctx *ctx, const struct tcp_object *t, struct incoming *in,
			struct vbm_error *err)
{
	int ret;

	in->format = HANDSHAKE_PLAIN;
	if (t->plain)
		return read_up_to(ctx, t->fd, in, handshake_message_size(HANDSHAKE_PLAIN, &t->form), err);
	ret = read_up_to(ctx, t->fd, in, HANDSHAKE_HEAD_SIZE, err);
	if (ret == 0) {
		in->format = handshake_message_format(in->bytes);
		ret = read_up_to(ctx, t->fd, in, handshake_message_whole(in->bytes), err);
	}
	return ret;
}

static void store_incoming(struct tcp_object *t, const struct incoming *in)
{
	memcpy(t->in, in->bytes, sizeof(t->in));
	t->received = in->got;
	t->received_format = in->format;
	if (!t->is_client && !t->sent)
		t->version = in->format == HANDSHAKE_VERSION_0 ? 0 : 1;
}

STEP(run_receive)
{
	struct tcp_object *t = arg_tcp(ctx, args, err);
	struct incoming in = {.got = 0};
	int ret;

	if (!t)
		return -err->code;
	ret = read_message(ctx, t, &in, err);
	if (ret < 0)
		return ret;
	put_minus1(result, -ret);
	value_set_int(result, "received", (int64_t)in.got);
	if (ret == 0) {
		store_incoming(t, &in);
		show_letter(t, result);
	}
	return 0;
}

STEP(run_close)
{
	struct tcp_object *t = arg_tcp(ctx, args, err);
	struct linger at_once = {.l_onoff = 1};

	if (!t)
		return -err->code;
	if (value_get_bool(args, "reset", false))
		setsockopt(t->fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
	errno = 0;
	put_minus1(result, close(t->fd));
	objects_forget(ctx->objects, &t->base);
	return 0;
}

#define P_TCP P_OBJECT("tcp", OBJECT_TCP, "the connection; default: tcp, or the only one")
#define P_PLAIN                                                                             \
	P_BOOL("plain", "true: both ends send the struct of docs/handshake.md as it is printed; default false"), \
	P_BYTES("header", HANDSHAKE_HEADER_MAX, "the header of the plain struct; default: 4 bytes"), \
	P_INT("flag_at", 0, HANDSHAKE_HEADER_MAX - 1, "where in that header the flag is; default 0"), \
	P_INT("flag_size", 1, 8, "bytes of that flag: 1, 2, 4 or 8; default 4"),                \
	P_BOOL("network_order", "whether the numbers have the byte order of the network; default: only without plain")
#define P_END(prefix, whose)                                                                \
	P_INT(prefix "qp_num", 0, UINT32_MAX, "number of the " whose "'s queue pair"),          \
	P_INT(prefix "lid", 0, 0xffff, "LID of the " whose),                                    \
	P_STRING(prefix "gid", "GID of the " whose),                                            \
	P_INT(prefix "gid_index", 0, 255, "index of that GID, version 1"),                      \
	P_INT(prefix "mtu", 0, 255, "path MTU of the " whose ", 1 to 5, version 1"),            \
	P_INT(prefix "psn", 0, UINT32_MAX, "first packet number of the " whose ", version 1"),  \
	P_INT(prefix "responder_resources", 0, 255, "reads that the " whose " answers, version 1"), \
	P_INT(prefix "initiator_depth", 0, 255, "reads that the " whose " begins, version 1"),  \
	P_INT(prefix "capabilities", 0, 0xffff, "what the other end may do to the " whose "'s memory, version 1")
#define F_END(prefix, whose)                                                                \
	F_INT(prefix "qp_num", "number of the " whose "'s queue pair"),                         \
	F_INT(prefix "lid", "LID of the " whose), F_STRING(prefix "gid", "GID of the " whose),  \
	F_INT(prefix "gid_index", "index of that GID, version 1"),                              \
	F_INT(prefix "mtu", "path MTU of the " whose ", 1 to 5, version 1"),                    \
	F_INT(prefix "psn", "first packet number of the " whose ", version 1"),                 \
	F_INT(prefix "responder_resources", "reads that the " whose " answers, version 1"),     \
	F_INT(prefix "initiator_depth", "reads that the " whose " begins, version 1"),          \
	F_INT(prefix "capabilities", "what the other end may do to the " whose "'s memory, version 1")

static const struct param listen_params[] = {
	P_ADDRESS("addr", "IP or IP:PORT; default: the host's IPv4 address"),
	P_INT("port", 0, 65535, "port when addr has none, 0 for any; default 7471"),
	{NULL},
};
static const struct field listen_fields[] = {F_MINUS1, F_INT("port", "port that it listens on"), {NULL}};
static const struct param accept_params[] = {
	P_OBJECT("listener", OBJECT_TCP_LISTENER, "the listener; default: tcp_listener, or the only one"),
	P_PLAIN,
	{NULL},
};
static const struct param connect_params[] = {
	{.name = "addr", .type = PARAM_ADDRESS, .required = true, .doc = "the program's address, IP or IP:PORT"},
	P_INT("port", 0, 65535, "port when addr has none; default 7471"),
	P_INT("version", 0, 1, "version of the messages, 0 or 1; default 1"),
	P_PLAIN,
	{NULL},
};
static const struct field tcp_fields[] = {
	F_MINUS1, F_STRING("peer_addr", "IP address of the program's end"), F_ELAPSED, {NULL},
};
static const struct param send_params[] = {
	P_TCP,
	P_OBJECT("qp", OBJECT_QP, "this end's queue pair, whose number the message has; default: none, number 0"),
	P_INT("version", 0, 255, "what the message says its version is; default: the right one"),
	P_CONST("flag", &const_handshake_flag, "default: the one that is this end's turn"),
	P_INT("length", 0, 0xffff, "default: the right one"),
	P_INT("magic", 0, 0xffff, "default: the right one"),
	P_INT("private_length", 0, 0xffff, "length of the private data; default: the right one"),
	P_END("", "client"),
	P_END("peer_", "server"),
	P_INT("reason", 0, 255, "why, in a refusal of version 1; default 3"),
	P_INT("versions", 0, 255, "bits of the versions that this end speaks, in a refusal; default 3"),
	P_BYTES("private_data", HANDSHAKE_PRIVATE_MAX, "private data of version 1; default: none"),
	P_BYTES("behind", 64, "bytes to send behind the message; default: none"),
	P_INT("cut", 0, HANDSHAKE_MESSAGE_MAX, "send only so many bytes; default: all"),
	P_INT("pieces", 1, HANDSHAKE_MESSAGE_MAX, "send so many bytes at a time; default: all at once"),
	{NULL},
};
static const struct field send_fields[] = {F_MINUS1, F_INT("sent", "bytes that were sent"), {NULL}};
static const struct param tcp_params[] = {P_TCP, {NULL}};
static const struct param close_params[] = {
	P_TCP, P_BOOL("reset", "true resets the connection instead of closing it; default false"), {NULL},
};
static const struct field receive_fields[] = {
	F_INT("return", "0 for a whole message; -1: the program closed the connection first"),
	F_CONST("errno", &const_errno, "OK if it closed the connection, ECONNRESET if it did so with unread bytes"),
	F_INT("received", "bytes of the message, or bytes before the end of the connection"),
	F_INT("version", "the version"),
	F_CONST("flag", &const_handshake_flag, "the flag"),
	F_INT("length", "the length that the message says"),
	F_INT("magic", "the magic"),
	F_INT("private_length", "the length of the private data, version 1"),
	F_END("", "client"),
	F_END("peer_", "server"),
	F_INT("reason", "why, in a refusal"),
	F_INT("versions", "bits of the versions that the program speaks, in a refusal"),
	F_BYTES("header", "the header of the plain struct"),
	F_BYTES("private_data", "the private data"),
	F_ELAPSED,
	{NULL},
};

static const struct step_kind steps[] = {
	{.name = "handshake_listen", .call = "listen(2)",
	 .doc = "Listen for a program that opens a TCP connection for a handshake.",
	 .params = listen_params, .fields = listen_fields, .makes = OBJECT_TCP_LISTENER, .run = run_listen},
	{.name = "handshake_accept", .call = "accept(2)",
	 .doc = "Accept the TCP connection of a program; this end is the server.",
	 .params = accept_params, .fields = tcp_fields, .makes = OBJECT_TCP, .waits = true,
	 .deadline_ms = DEADLINE_CONNECT_MS, .run = run_accept},
	{.name = "handshake_connect", .call = "connect(2)",
	 .doc = "Open a TCP connection to a program; this end is the client.",
	 .params = connect_params, .fields = tcp_fields, .makes = OBJECT_TCP,
	 .deadline_ms = DEADLINE_CONNECT_MS, .run = run_connect},
	{.name = "handshake_send", .call = "send(2)",
	 .doc = "Send a message of the handshake. What the step does not give is right: this end's values are "
		"those of its queue pair and its address, and the program's are sent back.",
	 .params = send_params, .fields = send_fields, .run = run_send},
	{.name = "handshake_receive", .call = "recv(2)",
	 .doc = "Wait for a message of the handshake, or for the end of the connection.",
	 .params = tcp_params, .fields = receive_fields, .waits = true,
	 .deadline_ms = DEADLINE_CONNECT_MS, .run = run_receive},
	{.name = "handshake_close", .call = "close(2)", .doc = "Close the TCP connection.",
	 .params = close_params, .fields = step_minus1_fields, .run = run_close},
	{NULL},
};

const struct step_family family_handshake = {
	"handshake", "The other end of a program that connects queue pairs over TCP.", steps
};
