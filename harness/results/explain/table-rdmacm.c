/* SPDX-License-Identifier: BSD-2-Clause */
#include "explain/table.h"

#include <stddef.h>

const struct explanation explain_return[] = {
	{"OK", "The call succeeded.", "Everything in the request was found.", NULL},
	{"EAI_BADFLAGS", "This call does not support a bit in hints.ai_flags.",
	 "A flag of getaddrinfo(3) (AI_*) instead of one of rdma_getaddrinfo (RAI_*), "
	 "hints that were not zeroed first, or RAI_DNS together with RAI_SA.",
	 "The number is -1 with glibc, the same as \"see errno\", so look at errno, too. librdmacm "
	 "itself ignores unknown bits."},
	{"EAI_NONAME", "The node or the service is not known, or neither was given.",
	 "A name that no name server and no hosts file has, a name with RAI_NUMERICHOST, "
	 "or a literal with a typing error.",
	 "Ask the name server itself (dig NAME), and check whether the node should be an "
	 "address. glibc returns EAI_SERVICE for an unknown service."},
	{"EAI_AGAIN", "A name server could not answer now, but may answer later.",
	 "No name server can be reached, it does not answer in time, or it answers SERVFAIL.",
	 "/etc/resolv.conf of that host (namespaces have their own), and a route to the "
	 "server. Trying again later is right."},
	{"EAI_FAIL", "The name server reported a permanent failure.",
	 "It finds the question malformed or does not support it (FORMERR, NOTIMP and "
	 "the like).",
	 "The server's log; another try does not help. glibc turns this into EAI_NONAME."},
	{"EAI_NODATA", "The name exists, but it has no address.",
	 "The name has only records of other types (MX, TXT), or lost its A and AAAA records.",
	 "dig NAME A and dig NAME AAAA: the status is NOERROR and the answer is empty. glibc "
	 "returns this also when only the requested family is missing."},
	{"EAI_FAMILY", "The call does not support the family in hints.ai_family.",
	 "A family other than AF_UNSPEC, AF_INET, AF_INET6 and AF_IB; often hints that were "
	 "not zeroed.", "Whether the hints are zeroed before they are filled in."},
	{"EAI_QPTYPE", "QP type and port space do not fit together, or one of them does not exist.",
	 "IBV_QPT_UD with RDMA_PS_TCP, IBV_QPT_RC with RDMA_PS_UDP, or a type other than RC "
	 "and UD.",
	 "Leave one of them 0, and it follows from the other. No header of the system has "
	 "this name; its number is that of EAI_SOCKTYPE."},
	{"EAI_SERVICE", "The service exists, but not for this QP type.",
	 "/etc/services has the name only for tcp and UD needs udp, or the opposite.",
	 "getent services NAME, and the QP type. glibc also returns this for unknown services."},
	{"EAI_ADDRFAMILY", "The node has addresses, but not in the requested family.",
	 "An IPv4 literal with AF_INET6, an IPv6 one with AF_INET, an IP address with AF_IB, "
	 "or a name with records only of the other family.",
	 "hints.ai_family; AF_UNSPEC accepts both."},
	{"EAI_MEMORY", "There was not enough memory.",
	 "The process has reached its limit, or an answer was very large.",
	 "ulimit -v, the cgroup's memory.max. librdmacm returns -1 with ENOMEM for its own memory."},
	{"EAI_SYSTEM", "A system call failed; errno has the reason.",
	 "Too many open files (EMFILE), or a file that resolution needs cannot be read.",
	 "errno right after the call, then ulimit -n."},
	{"EAI_CANCELED", "The resolution was ended before it was complete.",
	 "vbm_cancel(3), or the identifier was destroyed.",
	 "The callers of vbm_cancel(3) and rdma_destroy_id(3)."},
	{NULL},
};

const struct explanation explain_rai_flags[] = {
	{"PASSIVE", "Resolve for the side that listens: the address becomes the source.",
	 "Servers set it before rdma_create_ep(3) and rdma_listen(3).", NULL},
	{"NUMERICHOST", "The node must be an address; no name server is asked.",
	 "Callers who must not wait.", NULL},
	{"NOROUTE", "No route is looked up.",
	 "Callers who must not wait, and fabrics that need no route, such as RoCE.", NULL},
	{"FAMILY", "The node's text is read as an address of hints.ai_family.",
	 "With AF_IB, to give a GID as text.", NULL},
	{"DNS", "Resolve names and addresses in the usual way.",
	 "rdma_resolve_addrinfo(3), where it is the default.", NULL},
	{"SA", "Ask the subnet administrator of an InfiniBand fabric for a service.",
	 "rdma_resolve_addrinfo(3) on an identifier bound to an InfiniBand port; anywhere else "
	 "it is an error.", NULL},
	{NULL},
};

const struct explanation explain_port_space[] = {
	{"IPOIB", "Multicast of IP over InfiniBand.", "Programs that join IPoIB groups.", NULL},
	{"TCP", "Ports of connected queue pairs (RC).",
	 "The usual choice; 0 with IBV_QPT_RC also means it.", NULL},
	{"UDP", "Ports of datagrams (UD).", "0 with IBV_QPT_UD also means it.", NULL},
	{"IB", "Any type of queue pair, with service ids of InfiniBand.",
	 "Programs that use AF_IB addresses.", NULL},
	{NULL},
};

const struct explanation explain_family[] = {
	{"AF_UNSPEC", "Any family that the node has.", "Hints that are zeroed.", NULL},
	{"AF_UNIX", "Sockets of this machine; not an RDMA address.",
	 "Tests of unsupported families.", NULL},
	{"AF_INET", "IPv4.", "IPv4 literals and A records.", NULL},
	{"AF_INET6", "IPv6.", "IPv6 literals and AAAA records.", NULL},
	{"AF_PACKET", "Addresses of the link; not an RDMA address.",
	 "Tests of unsupported families.", NULL},
	{"AF_IB", "A GID with a service id: InfiniBand's own addresses.",
	 "RAI_FAMILY with a GID as node; connecting with it needs InfiniBand.", NULL},
	{NULL},
};

const struct explanation explain_cm_event[] = {
	{"ADDR_RESOLVED", "The destination has an address, and a local device leads there.",
	 "rdma_resolve_addr(3).", NULL},
	{"ADDR_ERROR", "The destination's address could not be resolved.",
	 "No route, no neighbour reply, or no RDMA device on the way.",
	 "The event's status (a negative errno); ip route get, ip neigh, rdma link show."},
	{"ROUTE_RESOLVED", "There is a route to the destination.", "rdma_resolve_route(3).", NULL},
	{"ROUTE_ERROR", "There is no route to the destination.",
	 "The subnet administrator (InfiniBand) or the network (RoCE) has none.",
	 "The event's status; ip route get."},
	{"CONNECT_REQUEST", "Somebody wants to connect; the event brings a new identifier.",
	 "A peer's rdma_connect(3), at the listener.",
	 "Accept or reject it: until then the peer waits."},
	{"CONNECT_RESPONSE", "The peer accepted, and the caller moves its queue pair itself.",
	 "An identifier without a queue pair from rdma_cm.",
	 "Move the queue pair to RTS, then rdma_establish(3)."},
	{"CONNECT_ERROR", "The connection failed while it was being established.",
	 "A fault while the queue pair changed its state, or on the wire.", "The event's status."},
	{"UNREACHABLE", "The peer cannot be reached, or does not answer.",
	 "A host that is down, or packets of UDP port 4791 that are lost.",
	 "ping; the counters of both interfaces."},
	{"REJECTED", "The peer refused.",
	 "rdma_reject(3), or a port without a listener.",
	 "The event's status: 28 is a rejection by the peer's program, 8 means no listener; private data "
	 "may have more."},
	{"ESTABLISHED", "The connection is up on both sides.", "rdma_accept(3) at the peer.",
	 NULL},
	{"DISCONNECTED", "The connection has ended.", "rdma_disconnect(3) on either side, or "
	 "the end of the peer.", "Disconnect this side too; flushed completions follow."},
	{"DEVICE_REMOVAL", "The device goes away.", "rdma link del, or a driver that unloads.",
	 "Destroy everything on it: the removal waits for that."},
	{"MULTICAST_JOIN", "The group was joined.", "rdma_join_multicast(3).", NULL},
	{"MULTICAST_ERROR", "The join failed, or the group is lost.",
	 "No multicast on the device or the fabric.", "The event's status."},
	{"ADDR_CHANGE", "The interface behind the identifier has another hardware address.",
	 "Failover of a bond.", "Connect again if that matters."},
	{"TIMEWAIT_EXIT", "Late packets of the old connection can no longer come.",
	 "Some time after the disconnect.", NULL},
	{"ADDRINFO_RESOLVED", "The resolution is complete; the result can be read.",
	 "rdma_resolve_addrinfo(3).", "rdma_query_addrinfo(3) gives the list, once."},
	{"ADDRINFO_ERROR", "The resolution failed.",
	 "An unknown name, a name server without an answer.",
	 "The event's status: the EAI code that rdma_getaddrinfo(3) would have returned."},
	{NULL},
};
