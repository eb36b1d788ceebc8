/* SPDX-License-Identifier: BSD-2-Clause */
#include "explain/table.h"

#include <stddef.h>

#define LOSS "Loss on the way (ip -s link, tc qdisc), or a peer that is too slow."

/* The counters of rxe: rdma statistic show, the reports of exec, and counters.tsv. */
const struct explanation explain_counter[] = {
	{"sent_pkts", "Packets that this device sent, acknowledgements included.", "Each message.", NULL},
	{"rcvd_pkts", "Packets that this device received.", "Each message.", NULL},
	{"sent_bytes", "Bytes that this device sent; since Linux 7.", "Each message.", NULL},
	{"rcvd_bytes", "Bytes that this device received; since Linux 7.", "Each message.", NULL},
	{"rdma_sends", "Requests that this device sent and that were acknowledged.", "Each request.", NULL},
	{"rdma_recvs", "Messages that this device received.", "Each message to a receive request.", NULL},
	{"duplicate_request", "Requests of the peer that came once more.",
	 "The peer heard no acknowledgement in time and sent the request again.", LOSS},
	{"out_of_seq_request", "Requests of the peer that came too early: one before them is missing.",
	 "A lost packet of the peer, or a wrong first PSN (rq_psn).", LOSS},
	{"rcvd_seq_err", "Times that the peer said that a packet of this device is missing.",
	 "A lost packet of this device.", LOSS},
	{"rcvd_rnr_err", "Times that the peer had no receive request for a message of this device.",
	 "The peer posts too few receive requests, or too late.",
	 "Receive requests at the peer; with rnr_retry 7 this goes on without end."},
	{"send_rnr_err", "Times that this device had no receive request for a message of the peer.",
	 "This program posts too few receive requests, or too late.",
	 "ibv_post_recv of this program; with rnr_retry 7 at the peer this goes on without end."},
	{"retry_rnr_exceeded_err", "Requests given up because the peer never had a receive request.",
	 "The completion has the status RNR_RETRY_EXC_ERR.", "verbatim explain RNR_RETRY_EXC_ERR."},
	{"completer_retry_err", "Times that a request was sent again because no acknowledgement came.",
	 "The peer's queue pair is gone or not in RTR, its number or PSN is wrong, or packets are lost.",
	 "State of the peer's queue pair; with retry_cnt 7 rxe goes on without end."},
	{"retry_exceeded_err", "Requests given up because no acknowledgement came.",
	 "The completion has the status RETRY_EXC_ERR.", "verbatim explain RETRY_EXC_ERR."},
	{"ack_deferred", "Answers that were handled later than they came.", "Many answers at once; normal.", NULL},
	{"send_err", "Packets that the network refused to take.",
	 "No route or no neighbour any more, an interface that is down, or a full queue.",
	 "ip route get PEER; ip neigh; ip -s link."},
	{"link_downed", "Times that the link went down.", "ip link set down, or a pulled cable.", "ip link."},
	{NULL, NULL, NULL, NULL},
};
