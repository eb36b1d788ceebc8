/* SPDX-License-Identifier: BSD-2-Clause */
#include "call/handshake-letter.h"

#include <netinet/in.h>
#include <string.h>

#include "base/cleanup.h"
#include "names/host.h"

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

/* What a member of this end is, unless a message before or the step says something else. */
static uint64_t own_value(const struct letter *l, const char *name)
{
	const struct {
		const char *name;
		uint64_t value;
	} row[] = {
		{"qp_num", l->qp ? l->qp->base.qp->qp_num : 0},
		{"gid_index", (uint64_t)l->host->gid_index4},
		{"mtu", MTU_1024}, {"psn", 0x1234},
		{"responder_resources", 1}, {"initiator_depth", 1}, {"capabilities", 7},
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(row); i++)
		if (strcmp(row[i].name, name) == 0)
			return row[i].value;
	return 0;
}

static uint64_t head_value(const struct letter *l, const char *name)
{
	static const uint64_t magic[] = {
		[HANDSHAKE_VERSION_0] = 0x5642, [HANDSHAKE_VERSION_1] = 0x5643,
		[HANDSHAKE_REFUSED] = 0x5643, [HANDSHAKE_PLAIN] = 0x5642,
	};
	const struct {
		const char *name;
		uint64_t value;
	} row[] = {
		{"version", l->format == HANDSHAKE_VERSION_0 ? 0 : 1},
		{"flag", l->tcp->is_client ? l->tcp->sent ? 2 : 1 : 3},
		{"length", handshake_message_size(l->format, &l->tcp->form) + l->private_length},
		{"magic", magic[l->format]}, {"private_length", l->private_length},
		{"reason", 3}, {"versions", 3},
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(row); i++)
		if (strcmp(row[i].name, name) == 0)
			return row[i].value;
	return 0;
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

int handshake_letter_write(uint8_t bytes[HANDSHAKE_MESSAGE_MAX], enum handshake_format *format,
			   const struct tcp_object *tcp, const struct host_info *host,
			   const struct qp_object *qp, const struct value *args,
			   struct vbm_error *err)
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

void handshake_letter_show(const struct tcp_object *t, struct value *result)
{
	size_t i, fixed = handshake_message_size(t->received_format, &t->form);
	struct handshake_member m;

	for (i = 0; handshake_message_member(t->received_format, &t->form, i, &m); i++)
		put_member(t, &m, result);
	if (t->plain)
		value_set(result, "header", bytes_to_value(t->in, t->form.header_size));
	value_set(result, "private_data", bytes_to_value(t->in + fixed, t->received - fixed));
}
