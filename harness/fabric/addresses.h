/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_FABRIC_ADDRESSES_H
#define VBM_FABRIC_ADDRESSES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <verbatim/error.h>

#include "net/ip.h"

/*
 * Names and addresses of a fabric. Pure: what the machine already uses is an
 * argument.
 */

/*
 * The first of our candidate networks that overlaps nothing in @taken; default
 * routes do not count. Fails with -EADDRNOTAVAIL when all are taken.
 */
struct subnets {
	int number;			/* 0..255 */
	struct ip_prefix ip4, ip6;	/* /24 and /64 */
};

int fabric_subnets(const struct ip_set *taken, struct subnets *out,
		 struct vbm_error *err);

/* Host i's address (len 32 or 128), counting from 1 on the network. */
struct ip_prefix fabric_address(const struct ip_prefix *subnet, int host);

/* "a".."z", "aa".."zz" */
void fabric_host_name(int host, char name[8]);
int fabric_host_number(const char *name);		/* -1: no such name */

/*
 * A run's id is 16 random bits; everything that can outlive the process
 * carries it: "vb-3f2a-a" (netdev), "vb_3f2a_a" (RDMA device), routing tables.
 */
#define FABRIC_RUN_MAX 0xffff

void fabric_netdev_name(unsigned run, int host, char name[16]);
void fabric_rdma_name(unsigned run, int host, char name[32]);
uint32_t fabric_table(unsigned run, int host);

/* The run in a name or table of ours; -1 when it is not ours. */
int fabric_run_of_netdev(const char *name);
int fabric_run_of_rdma(const char *name);
int fabric_run_of_table(uint32_t table);

/* Locally administered, the same for the same place in the fabric. */
void fabric_mac(int subnet, int host, uint8_t mac[6]);

#endif
