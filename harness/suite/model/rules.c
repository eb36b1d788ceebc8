/* SPDX-License-Identifier: BSD-2-Clause */
#include "model/rules.h"

#include "base/xalloc.h"

static const struct model_statement statements[RULE_COUNT] = {
	[RULE_REGION] = {"MR-ACCESS", "a region may have any rights that the page does not forbid", NULL},
	[RULE_REGION_RIGHTS] = {"MR-ACCESS", "remote write and remote atomic access need local write access", NULL},
	[RULE_REGION_FREE] = {"MR-BOUND", "a region without a bound window can be deregistered", NULL},
	[RULE_REGION_BOUND] = {"MR-BOUND", "a region that a window is bound to cannot be deregistered", NULL},
	[RULE_WINDOW] = {"MW-ALLOC", "windows of type 1 and 2 can be allocated", NULL},
	[RULE_WINDOW_FREE] = {"MW-ALLOC", "a window can be deallocated in each of its states", NULL},
	[RULE_BIND] = {"MW-BIND", "a bind that nothing forbids succeeds", NULL},
	[RULE_BIND_RIGHT] = {"MW-BIND-ERR", "a region without IBV_ACCESS_MW_BIND takes no window", NULL},
	[RULE_BIND_WRITE] = {"MW-BIND-ERR", "a window for writing needs a region with local write access", NULL},
	[RULE_BIND_RANGE] = {"MW-BIND-ERR", "a window cannot reach beyond its region", NULL},
	[RULE_BIND_TWICE] = {"MW-BIND-ERR", "a bound window of type 2 must be invalidated before it is bound again", NULL},
	[RULE_BIND_OTHER] = {"MW-QP", "another queue pair cannot bind a bound window of type 2", NULL},
	[RULE_BIND_NOTHING] = {"MW-BIND-ERR", "a window of type 2 cannot be bound to zero bytes", NULL},
	[RULE_BIND_DOMAIN] = {"MW-BIND-DOMAIN", "window, region and queue pair of a bind are in one protection domain",
			      "ibv_post_send(3) may report at once an error that it can detect at once"},
	[RULE_BIND_CALL] = {"MW-BIND-CALL", "ibv_bind_mw() takes windows of type 1 only", NULL},
	[RULE_BIND_ZERO] = {"MW-ZERO-BASED", "a window of type 1 cannot be zero-based", NULL},
	[RULE_UNBIND] = {"MW-INVALIDATE", "a bind of length 0 unbinds a window of type 1", NULL},
	[RULE_INVALIDATE] = {"MW-INVALIDATE", "LOCAL_INV unbinds the window of type 2 that its queue pair bound", NULL},
	[RULE_INVALIDATE_ERROR] = {"DATA-INVALIDATE-ERR", "LOCAL_INV of a key that cannot be invalidated fails", NULL},
	[RULE_INVALIDATE_AGAIN] = {"DATA-INVALIDATE-ERR", "the key of a window that is not bound any more cannot be invalidated", NULL},
	[RULE_INVALIDATE_FREE] = {"DATA-INVALIDATE-ERR", "a window of type 2 that was never bound has nothing to invalidate",
				  "the documents do not say whether LOCAL_INV of a window that is not bound is an error"},
	[RULE_INVALIDATE_OTHER] = {"MW-QP", "a window of type 2 belongs to the queue pair that bound it",
				   "the documents do not say whether another queue pair of the domain may invalidate a window of type 2"},
	[RULE_SEND_INVALIDATE] = {"MW-INVALIDATE", "SEND_WITH_INV unbinds the window of type 2 that the receiver bound", NULL},
	[RULE_SEND_INVALIDATE_ERROR] = {"DATA-INVALIDATE-REMOTE", "SEND_WITH_INV of a key that cannot be invalidated is "
					"an error at the receiver", NULL},
	[RULE_SEND_INVALIDATE_AGAIN] = {"DATA-INVALIDATE-REMOTE", "a peer cannot invalidate the key of a window that is not "
					"bound any more", NULL},
	[RULE_SEND_INVALIDATE_FREE] = {"DATA-INVALIDATE-REMOTE", "a window of type 2 that was never bound has nothing to invalidate",
				       "the documents do not say whether a peer may invalidate a window that is not bound"},
	[RULE_SEND_INVALIDATE_OTHER] = {"MW-QP", "a window of type 2 belongs to the queue pair that bound it",
					"the documents do not say whether a message to another queue pair may invalidate a window of type 2"},
	[RULE_SEND_INVALIDATE_SENDER] = {"DATA-INVALIDATE-REMOTE", "a message whose key cannot be invalidated may have been acknowledged before",
					 "the documents do not say whether the receiver acknowledges the message or refuses it"},
	[RULE_SEND] = {"DATA-SEND", "a SEND takes the oldest receive request of the peer", NULL},
	[RULE_RNR] = {"DATA-RNR", "a SEND that finds no receive request is sent again rnr_retry times and then fails", NULL},
	[RULE_WRITE] = {"DATA-WRITE", "an RDMA write stores its bytes at the remote address and nowhere else", NULL},
	[RULE_READ] = {"DATA-READ", "an RDMA read fetches the bytes at the remote address", NULL},
	[RULE_ATOMIC] = {"DATA-ATOMIC", "an atomic operation changes eight bytes of the peer", NULL},
	[RULE_KEY_GONE] = {"DATA-REM-ACCESS", "the key of a deregistered region gives no access", NULL},
	[RULE_KEY_RIGHT] = {"DATA-REM-ACCESS", "a region gives its peers only the rights of its registration", NULL},
	[RULE_KEY_RANGE] = {"DATA-REM-ACCESS", "a region's key gives no access beyond the region", NULL},
	[RULE_KEY_DOMAIN] = {"PD-ISO-REMOTE", "a queue pair gives no access to regions of another protection domain", NULL},
	[RULE_WINDOW_UNBOUND] = {"MW-UNBOUND", "the key of a window that was never bound gives no access", NULL},
	[RULE_WINDOW_INVALID] = {"MW-INVALIDATE", "an invalidated, unbound or deallocated window gives no access", NULL},
	[RULE_WINDOW_OLD] = {"MW-KEY", "the key that a window had before its last bind gives no access", NULL},
	[RULE_WINDOW_RIGHT] = {"MW-RIGHTS", "a window gives exactly the rights of its bind", NULL},
	[RULE_WINDOW_RANGE] = {"MW-BOUNDS", "a window gives no access beyond its part of the region", NULL},
	[RULE_WINDOW_PAIR] = {"MW-QP", "a window of type 2 works only for the queue pair that bound it", NULL},
	[RULE_WINDOW_DOMAIN] = {"PD-ISO-REMOTE", "a queue pair gives no access to windows of another protection domain", NULL},
	[RULE_WINDOW_ZERO] = {"MW-ZERO-BASED", "the address in a zero-based window is the offset from its start", NULL},
	[RULE_TRANSITION] = {"QPS-STATES", "a transition of the table succeeds, and another one is refused", NULL},
	[RULE_RESET_TO_ERR] = {"QPS-STATES", "the transition to ERR is possible from each state, also from RESET", NULL},
	[RULE_POST_REFUSED] = {"DATA-POST-STATE", "a send request is refused before RTS", NULL},
	[RULE_POST_RECEIVE] = {"QPS-POST", "a receive request is kept from INIT on", NULL},
	[RULE_RECEIVE_REFUSED] = {"DATA-POST-STATE", "a receive request is refused in RESET", NULL},
	[RULE_FLUSH] = {"DATA-FLUSH", "requests on a queue pair in the error state are flushed in their order", NULL},
	[RULE_ERROR] = {"QPS-ERR", "a failed request takes its queue pair to ERR, and the responder's if that refused it", NULL},
	[RULE_PEER_SILENT] = {"QPS-POST", "a peer answers in RTR, RTS and SQD, and in no other state", NULL},
	[RULE_COMPARE] = {"DATA-ATOMIC", "compare and swap changes eight bytes of the peer if they are as expected, and brings the old ones", NULL},
	[RULE_IMMEDIATE] = {"DATA-IMM", "immediate data comes with its message", NULL},
	[RULE_EVENT] = {"CQ-CHAN-EVENT", "a queue that was asked for an event makes one for the next completion", NULL},
	[RULE_EVENT_SOLICITED] = {"CQ-EVENT-SOLICITED", "a queue that was asked for solicited events makes one only if the sender wants it", NULL},
	[RULE_UNPOLLED] = {"CQ-CQE-MIN", "a completion stays in its queue until it is polled", NULL},
	[RULE_DRAINED] = {"QPS-SQD", "a send request that is posted in SQD waits until RTS", NULL},
	[RULE_IOVA] = {"MR-IOVA", "a region may have any address for its peers", NULL},
	[RULE_ZERO_BASED] = {"MR-ZERO-BASED", "the address in a zero-based region is the offset from its start",
			     "a device need not have zero-based regions, and then reports that"},
	[RULE_ZERO_REFUSED] = {"MR-ZERO-BASED", "a device without zero-based regions refuses one with EOPNOTSUPP", NULL},
	[RULE_ON_DEMAND] = {"MR-ON-DEMAND", "a region may be registered on demand", NULL},
	[RULE_REREG] = {"MR-REREG", "ibv_rereg_mr() changes the rights or the domain of a region", NULL},
	[RULE_REREG_RIGHTS] = {"MR-REREG-ACCESS", "ibv_rereg_mr() refuses rights that no region may have", NULL},
	[RULE_PAIR_RIGHT] = {"DATA-QP-RIGHTS", "a queue pair gives its peer only the rights of its access flags",
			     "no document says which error comes first: that the queue pair or that the key gives no right"},
	[RULE_RESOURCES] = {"DATA-RESOURCES", "a read or an atomic operation needs a resource of its responder",
			    "no document says which error comes first: that the responder has no resource or that the key gives no right"},
	[RULE_ATTRIBUTE] = {"QPS-OPTIONAL", "an attribute that the table allows can be changed without a change of state", NULL},
	[RULE_ATTRIBUTE_FOREIGN] = {"QPS-FOREIGN", "an attribute that the table does not have for the state is refused", NULL},
	[RULE_RESIZE] = {"CQ-RESIZE", "a completion queue can become longer and shorter", NULL},
	[RULE_RESIZE_SIZE] = {"CQ-RESIZE-ERRVAL", "a completion queue cannot have a size that no queue can have", NULL},
	[RULE_OVERFLOW] = {"EVT-CQ-ERR", "a completion queue that overflows makes IBV_EVENT_CQ_ERR",
			   "the documents do not say what becomes of the queue pairs of a completion queue that overflows"},
	[RULE_OVERFLOW_DONE] = {"CQ-OVERFLOW", "a request whose completion finds no room is carried out all the same", NULL},
	[RULE_SHARED_POST] = {"SRQ-POST", "a shared receive queue takes requests whatever the states of its queue pairs are", NULL},
	[RULE_SHARED_OWN] = {"SRQ-QP-POST", "a queue pair with a shared receive queue takes no receive request of its own", NULL},
	[RULE_SHARED_TAKE] = {"SRQ-RECV", "a message takes the oldest request of the shared receive queue", NULL},
	[RULE_SHARED_MODIFY] = {"SRQ-MODIFY", "the limit and the length of a shared receive queue can be changed", NULL},
	[RULE_SHARED_RANGE] = {"SRQ-MODIFY-NONE", "a limit or a length out of range is refused", NULL},
	[RULE_SHARED_SHRINK] = {"SRQ-RESIZE", "a shared receive queue cannot become shorter than its requests", NULL},
	[RULE_SHARED_LIMIT] = {"SRQ-LIMIT", "a limit stays until fewer requests are left", NULL},
	[RULE_SHARED_BUSY] = {"SRQ-DESTROY-BUSY", "a shared receive queue that a queue pair uses cannot be destroyed", NULL},
	[RULE_STREAM_REFUSED] = {"DATA-REM-ACCESS", "a read that the peer refuses does not succeed",
				 "over iWARP a request may complete before the peer has looked at it, and a refusal ends the connection"},
	[RULE_STREAM_END] = {"QPS-ERR", "a queue pair that is moved to ERR flushes its requests",
			     "over iWARP the connection ends with either of its queue pairs, some time later at the peer"},
	[RULE_HANDLE] = {"AH-CREATE", "an address handle can be made for the port of the peer", NULL},
	[RULE_HANDLE_FREE] = {"AH-DESTROY", "an address handle can be destroyed", NULL},
	[RULE_DATAGRAM] = {"DATA-UD", "a datagram takes the oldest receive request and comes after forty bytes of header", NULL},
	[RULE_DATAGRAM_KEY] = {"DATA-UD", "a datagram with another Q_Key is not delivered, and its sender does not learn that", NULL},
};

static const char *const findings[EXCEPT_COUNT] = {
	[EXCEPT_FLUSH_HIDES] = "rxe-flush-hides-status",
	[EXCEPT_WINDOW_BOUNDS] = "rxe-window-bounds",
	[EXCEPT_SQD_RTS] = "rxe-sqd-rts",
	[EXCEPT_FLUSH_RECEIVE] = "rxe-flush-receive",
	[EXCEPT_REFUSED_SEND] = "librxe-refused-send",
	[EXCEPT_INVALIDATE_UNBOUND] = "rxe-invalidate-unbound",
	[EXCEPT_RESET_TO_ERR] = "ib-core-reset-to-error",
	[EXCEPT_REREG] = "librxe-rereg",
	[EXCEPT_ON_DEMAND_OFFSET] = "rxe-on-demand-offset",
	[EXCEPT_RESET_RUNS] = "rxe-reset-runs-request",
	[EXCEPT_SHARED_SHRINK] = "rxe-srq-shrink",
	[EXCEPT_DEPTH] = "rxe-depth-out-of-bounds",
	[EXCEPT_WINDOW_DOMAIN] = "rxe-window-domain",
	[EXCEPT_ZERO_BASED] = "rxe-zero-based-ignored",
	[EXCEPT_ZERO_BEYOND] = "rxe-zero-based-beyond",
	[EXCEPT_OWN_ADDRESS] = "siw-iova",
	[EXCEPT_LATE_FLUSH] = "siw-late-flush",
	[EXCEPT_SHARED_POST] = "siw-shared-queue-post",
	[EXCEPT_SOLICITED] = "siw-solicited",
	[EXCEPT_READ_RIGHT] = "siw-read-rights",
};

static const char *const lacks[LACK_COUNT] = {
	[LACK_ZERO_BASED] = "zero_based", [LACK_UD] = "ud", [LACK_BY_HAND] = "by_hand", [LACK_ATOMICS] = "atomics",
	[LACK_IMMEDIATE] = "immediate", [LACK_WINDOWS] = "windows", [LACK_ON_DEMAND] = "on_demand", [LACK_REREG] = "rereg",
	[LACK_QUERY_SRQ] = "query_srq", [LACK_RESIZE_SRQ] = "resize_srq", [LACK_RESIZE_CQ] = "resize_cq", [LACK_AH] = "ah",
	[LACK_ACKS] = "acks",
};

const struct model_statement *model_statement(enum model_rule rule)
{
	return (size_t)rule < RULE_COUNT ? &statements[rule] : &statements[RULE_NONE];
}

const char *model_exception_name(enum model_exception e)
{
	return (size_t)e < EXCEPT_COUNT ? findings[e] : NULL;
}

const char *model_lack_name(size_t i)
{
	return i < LACK_COUNT ? lacks[i] : NULL;
}
