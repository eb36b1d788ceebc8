/* SPDX-License-Identifier: BSD-2-Clause */
/* The headers below RDMA: Ethernet, Linux's cooked captures, IP and UDP. */
#include "codec/header.h"

static const struct header_field ether_fields[] = {
	{"dst_mac", 0, 48, SHOW_MAC, .doc = "the receiver's Ethernet address"},
	{"src_mac", 48, 48, SHOW_MAC, .doc = "the sender's Ethernet address"},
	{"ether_type", 96, 16, SHOW_HEX, .doc = "what follows"},
	{NULL},
};
const struct header header_ether = {"ethernet", "Ethernet", 14, ether_fields};

static const struct header_field vlan_fields[] = {
	{"vlan_priority", 0, 3, .doc = "priority of the frame"},
	{"vlan_drop", 3, 1, SHOW_FLAG, .doc = "the frame may be dropped first"},
	{"vlan", 4, 12, SHOW_NUMBER, LINE_UNUSUAL, .doc = "number of the VLAN"},
	{"vlan_type", 16, 16, SHOW_HEX, .doc = "what follows"},
	{NULL},
};
const struct header header_vlan = {"vlan", "IEEE 802.1Q", 4, vlan_fields};

static const struct header_field cooked_fields[] = {
	{"packet_type", 0, 16, .doc = "0 to this host, 4 from it"},
	{"arp_type", 16, 16, .doc = "type of the interface"},
	{"address_length", 32, 16, .doc = "bytes of the address"},
	{"cooked_mac", 48, 64, SHOW_BYTES, .doc = "the sender's address"},
	{"cooked_type", 112, 16, SHOW_HEX, .doc = "what follows"},
	{NULL},
};
const struct header header_cooked = {"cooked", "Linux cooked capture", 16, cooked_fields};

static const struct header_field cooked2_fields[] = {
	{"cooked_type", 0, 16, SHOW_HEX, .doc = "what follows"},
	{"reserved", 16, 16, SHOW_HEX, .doc = "0"},
	{"interface_index", 32, 32, .doc = "number of the interface"},
	{"arp_type", 64, 16, .doc = "type of the interface"},
	{"packet_type", 80, 8, .doc = "0 to this host, 4 from it"},
	{"address_length", 88, 8, .doc = "bytes of the address"},
	{"cooked_mac", 96, 64, SHOW_BYTES, .doc = "the sender's address"},
	{NULL},
};
const struct header header_cooked2 = {"cooked2", "Linux cooked capture, version 2", 20, cooked2_fields};

static const struct header_field ip4_fields[] = {
	{"ip_version", 0, 4, .usual = 4, .doc = "4"},
	{"header_length", 4, 4, .usual = 5, .doc = "words of 4 bytes in this header"},
	{"dscp", 8, 6, .doc = "class of service"},
	{"ecn", 14, 2, SHOW_NUMBER, LINE_UNUSUAL, .doc = "congestion marks: 3 says that a switch is congested"},
	{"ip_length", 16, 16, .doc = "bytes from this header on"},
	{"ip_id", 32, 16, SHOW_HEX, .doc = "identification"},
	{"ip_reserved", 48, 1, SHOW_FLAG, .doc = "0"},
	{"dont_fragment", 49, 1, SHOW_FLAG, .usual = 1, .doc = "a router may not divide the datagram"},
	{"more_fragments", 50, 1, SHOW_FLAG, LINE_UNUSUAL, .doc = "this is a fragment and not the last one"},
	{"fragment_offset", 51, 13, SHOW_NUMBER, LINE_UNUSUAL, .doc = "where the fragment belongs, in units of 8 bytes"},
	{"ttl", 64, 8, .usual = 64, .doc = "how many routers may still pass it on"},
	{"protocol", 72, 8, .doc = "what follows"},
	{"ip_checksum", 80, 16, SHOW_HEX, .doc = "checksum of this header"},
	{"src", 96, 32, SHOW_IP4, .doc = "the sender's address"},
	{"dst", 128, 32, SHOW_IP4, .doc = "the receiver's address"},
	{NULL},
};
const struct header header_ip4 = {"ipv4", "IPv4", 20, ip4_fields};

static const struct header_field ip6_fields[] = {
	{"ip_version", 0, 4, .usual = 6, .doc = "6"},
	{"dscp", 4, 6, .doc = "class of service"},
	{"ecn", 10, 2, SHOW_NUMBER, LINE_UNUSUAL, .doc = "congestion marks: 3 says that a switch is congested"},
	{"flow_label", 12, 20, SHOW_HEX, .doc = "which flow it belongs to"},
	{"ip_length", 32, 16, .doc = "bytes after this header"},
	{"protocol", 48, 8, .doc = "what follows"},
	{"ttl", 56, 8, .usual = 64, .doc = "how many routers may still pass it on"},
	{"src", 64, 128, SHOW_IP6, .doc = "the sender's address"},
	{"dst", 192, 128, SHOW_IP6, .doc = "the receiver's address"},
	{NULL},
};
const struct header header_ip6 = {"ipv6", "IPv6", 40, ip6_fields};

/* RoCE v1 has the global route header of InfiniBand, which is that of IPv6. */
const struct header header_grh = {"grh", "global route header of RoCE v1", 40, ip6_fields};

static const struct header_field udp_fields[] = {
	{"src_port", 0, 16, .usual = 49152, .doc = "the sender's port; it tells flows apart"},
	{"dst_port", 16, 16, .doc = "4791 for RoCE v2"},
	{"udp_length", 32, 16, .doc = "bytes from this header on"},
	{"udp_checksum", 48, 16, SHOW_HEX, .doc = "0: there is none"},
	{NULL},
};
const struct header header_udp = {"udp", "UDP", 8, udp_fields};
