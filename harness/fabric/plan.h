/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_FABRIC_PLAN_H
#define VBM_FABRIC_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <verbatim/error.h>

/*
 * Names and addresses of a fabric. Pure: what the machine already uses is an
 * argument.
 */

/* A network or, with len 32 or 128, one address. */
struct ip_prefix {
	int family;		/* AF_INET, AF_INET6; AF_UNSPEC: none */
	int len;
	uint8_t addr[16];	/* network order */
};

#define IP_TEXT_MAX 52		/* "ADDRESS/LEN" */

bool ip_parse(const char *text, struct ip_prefix *prefix);
/* Without "/LEN" for a single address. */
const char *ip_format(const struct ip_prefix *prefix, char text[IP_TEXT_MAX]);
bool ip_equal(const struct ip_prefix *a, const struct ip_prefix *b);
bool ip_overlap(const struct ip_prefix *a, const struct ip_prefix *b);

/* What the machine's addresses, routes and rules already occupy. */
struct ip_set {
	struct ip_prefix *items;	/* owned */
	size_t count;
};

void ip_set_add(struct ip_set *set, const struct ip_prefix *prefix);
void ip_set_fini(struct ip_set *set);

/*
 * The first of our candidate networks that overlaps nothing in @taken; default
 * routes do not count. Fails with -EADDRNOTAVAIL when all are taken.
 */
struct subnets {
	int number;			/* 0..255 */
	struct ip_prefix ip4, ip6;	/* /24 and /64 */
};

int plan_subnets(const struct ip_set *taken, struct subnets *out,
		 struct vbm_error *err);

/* Host i's address (len 32 or 128), counting from 1 on the network. */
struct ip_prefix plan_address(const struct ip_prefix *subnet, int host);

/* "a".."z", "aa".."zz" */
void plan_host_name(int host, char name[8]);
int plan_host_number(const char *name);		/* -1: no such name */

/*
 * A run's id is 16 random bits; everything that can outlive the process
 * carries it: "vb-3f2a-a" (netdev), "vb_3f2a_a" (RDMA device), routing tables.
 */
#define PLAN_RUN_MAX 0xffff

void plan_netdev_name(unsigned run, int host, char name[16]);
void plan_rdma_name(unsigned run, int host, char name[32]);
uint32_t plan_table(unsigned run, int host);

/* The run in a name or table of ours; -1 when it is not ours. */
int plan_run_of_netdev(const char *name);
int plan_run_of_rdma(const char *name);
int plan_run_of_table(uint32_t table);

/* Locally administered, the same for the same place in the fabric. */
void plan_mac(int subnet, int host, uint8_t mac[6]);

#endif
