/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_ACM_MESSAGE_H
#define VBM_ACM_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The protocol between the path service ibacm and its clients: a header and up to eight
 * entries. Numbers are in the host's byte order, addresses and paths in network byte
 * order. This is the service's side. It shares no code with the library's client, so that
 * a mistake in one cannot hide in the other. Pure.
 */
#define ACM_HEAD_SIZE 16
#define ACM_ITEM_SIZE 72
#define ACM_ITEMS 8
#define ACM_REQUEST_MAX (ACM_HEAD_SIZE + ACM_ITEMS * ACM_ITEM_SIZE)
#define ACM_REPLY_MAX (ACM_REQUEST_MAX + ACM_ITEM_SIZE)	/* with one entry too many */
#define ACM_TEXT 46

/* An address; IPv4 is stored as IPv4-mapped. */
struct acm_address {
	bool set;
	uint8_t gid[16];
};

/* Read "10.0.0.1", "::1" or "::ffff:10.0.0.1". False for other text. */
bool acm_address_read(struct acm_address *a, const char *text);

/* Write the address as text; "-" if it is not set. */
void acm_address_write(const struct acm_address *a, char out[ACM_TEXT]);

/* A request to resolve. */
struct acm_question {
	struct acm_address src, dst;
	unsigned int paths;	/* path records that restrict the answer */
	struct acm_address path_dgid;	/* of the first of them */
	uint16_t path_pkey;		/* of the first of them */
	bool no_delay;		/* the client prefers no answer to a delay */
	uint8_t head[ACM_HEAD_SIZE];
};

/* The length of the request that begins with @head; 0: no request can begin so. */
size_t acm_question_length(const uint8_t head[ACM_HEAD_SIZE]);

/* False when @msg is not a request to resolve. @msg may hold any bytes. */
bool acm_question_read(struct acm_question *q, const uint8_t *msg, size_t len);

/* The faults of a reply. */
enum acm_fault {
	ACM_HONEST,
	ACM_SILENT,
	ACM_CLOSE,
	ACM_HALF_HEADER,
	ACM_CUT,
	ACM_LENGTH_SHORT,
	ACM_LENGTH_LONG,
	ACM_LENGTH_HUGE,
	ACM_LENGTH_ZERO,
	ACM_ODD,
	ACM_TOO_MANY,
	ACM_VERSION,
	ACM_OPCODE,
	ACM_TRANID,
	ACM_TYPE,
	ACM_SPLIT,
	ACM_FAULTS,
};

struct acm_path {
	struct acm_address sgid, dgid;	/* not set: the ends in the question */
	uint32_t flags;
	/* In host byte order. The last three have a selector in their upper two bits. */
	uint64_t service_id;
	uint32_t flow_label;
	uint16_t pkey;
	uint8_t tclass, sl, hop_limit, mtu, rate, lifetime;
};

struct acm_answer {
	uint8_t status;
	struct acm_address source;	/* not set: no source in the answer */
	struct acm_path path[ACM_ITEMS];
	size_t paths;			/* with the source at most ACM_ITEMS */
	enum acm_fault fault;
	bool tcp;			/* listens on TCP */
};

/* The bytes of the reply, and the way to send them. */
struct acm_reply_bytes {
	uint8_t data[ACM_REPLY_MAX];
	size_t len;		/* 0: send nothing */
	bool hang_up;		/* close the connection afterwards */
	bool split;		/* send a few bytes at a time */
};

void acm_reply_make(struct acm_reply_bytes *out, const struct acm_answer *answer,
		    const struct acm_question *question);

#endif
