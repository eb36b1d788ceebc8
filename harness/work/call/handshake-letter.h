/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_CALL_HANDSHAKE_LETTER_H
#define VBM_CALL_HANDSHAKE_LETTER_H

#include "call/handshake-message.h"
#include "call/step-util.h"

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

/*
 * Writes the message that the step's arguments describe. What they leave out is right: this
 * end's values are those of its last message, or of @qp (may be NULL) and its address; the
 * values of the other end are sent back. Returns the number of bytes, or a negative errno.
 */
int handshake_letter_write(uint8_t bytes[HANDSHAKE_MESSAGE_MAX], enum handshake_format *format,
			   const struct tcp_object *tcp, const struct host_info *host,
			   const struct qp_object *qp, const struct value *args,
			   struct vbm_error *err);

/* Puts the members of the last received message into the result. */
void handshake_letter_show(const struct tcp_object *tcp, struct value *result);

#endif
