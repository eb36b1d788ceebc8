/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_CALL_HANDSHAKE_MESSAGE_H
#define VBM_CALL_HANDSHAKE_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The messages of docs/handshake.md as tables of members. Scenarios measure libverbatim
 * with them, so they share nothing with lib/handshake/. Pure.
 */
#define HANDSHAKE_MESSAGE_MAX 512
#define HANDSHAKE_HEAD_SIZE 6		/* version, flag, length, magic */
#define HANDSHAKE_PRIVATE_MAX 192	/* private data of version 1 */
#define HANDSHAKE_HEADER_MAX 64		/* of the plain struct */

enum handshake_format {
	HANDSHAKE_VERSION_0,
	HANDSHAKE_VERSION_1,
	HANDSHAKE_REFUSED,		/* the refusal of version 1 */
	HANDSHAKE_PLAIN,		/* the struct of the document as it is printed */
	HANDSHAKE_FORMATS,
};

/* The form of the plain struct: the document leaves its header open. */
struct handshake_plain {
	uint8_t header[HANDSHAKE_HEADER_MAX];	/* the flag is written over it */
	size_t header_size;
	size_t flag_at, flag_size;		/* size 1, 2, 4 or 8 */
	bool network_order;			/* false: the order of this machine */
};

enum handshake_whose {
	HANDSHAKE_OF_HEAD,
	HANDSHAKE_OF_CLIENT,
	HANDSHAKE_OF_SERVER,
};

struct handshake_member {
	const char *name;		/* "peer_qp_num" */
	enum handshake_whose whose;
	size_t at, size;		/* 16 bytes: a GID; else 1, 2, 4 or 8, a number */
};

#define HANDSHAKE_GID_SIZE 16

/*
 * The @i-th member of a message, or false behind the last one. Only HANDSHAKE_PLAIN uses
 * @plain.
 */
bool handshake_message_member(enum handshake_format format, const struct handshake_plain *plain,
			      size_t i, struct handshake_member *member);

/* The size of a message without private data. */
size_t handshake_message_size(enum handshake_format format, const struct handshake_plain *plain);

/* A number in the byte order of the format. */
void handshake_message_put(uint8_t *message, const struct handshake_member *member,
			   bool network_order, uint64_t value);
uint64_t handshake_message_get(const uint8_t *message, const struct handshake_member *member,
			       bool network_order);

/* The format of a message by its first HANDSHAKE_HEAD_SIZE bytes. Never HANDSHAKE_PLAIN. */
enum handshake_format handshake_message_format(const uint8_t *head);

/*
 * The size of the whole message by its head: what its member length says. Version 0 has
 * one size. A length that cannot be right becomes the size without private data.
 */
size_t handshake_message_whole(const uint8_t *head);

#endif
