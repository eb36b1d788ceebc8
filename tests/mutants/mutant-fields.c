/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/mutants/mutant-fields.h"

#include <infiniband/sa.h>
#include <netinet/in.h>

#define END {NULL, 0, 0}

#define F(member) FIELD(struct ibv_device_attr, member)
const struct mutant_field mutant_device_attr[] = {
	F(fw_ver[0]), F(node_guid), F(sys_image_guid), F(max_mr_size), F(page_size_cap), F(vendor_id),
	F(vendor_part_id), F(hw_ver), F(max_qp), F(max_qp_wr), F(device_cap_flags), F(max_sge),
	F(max_sge_rd), F(max_cq), F(max_cqe), F(max_mr), F(max_pd), F(max_qp_rd_atom), F(max_ee_rd_atom),
	F(max_res_rd_atom), F(max_qp_init_rd_atom), F(max_ee_init_rd_atom), F(atomic_cap), F(max_ee),
	F(max_rdd), F(max_mw), F(max_raw_ipv6_qp), F(max_raw_ethy_qp), F(max_mcast_grp),
	F(max_mcast_qp_attach), F(max_total_mcast_qp_attach), F(max_ah), F(max_fmr), F(max_map_per_fmr),
	F(max_srq), F(max_srq_wr), F(max_srq_sge), F(max_pkeys), F(local_ca_ack_delay), F(phys_port_cnt),
	END,
};
#undef F
#define F(member) FIELD(struct ibv_port_attr, member)
const struct mutant_field mutant_port_attr[] = {
	F(state), F(max_mtu), F(active_mtu), F(gid_tbl_len), F(port_cap_flags), F(max_msg_sz),
	F(bad_pkey_cntr), F(qkey_viol_cntr), F(pkey_tbl_len), F(lid), F(sm_lid), F(lmc), F(max_vl_num),
	F(sm_sl), F(subnet_timeout), F(init_type_reply), F(active_width), F(active_speed), F(phys_state),
	F(link_layer), F(flags), F(port_cap_flags2), END,
};
#undef F
#define F(member) FIELD(struct ibv_qp_attr, member)
const struct mutant_field mutant_qp_attr[] = {
	F(qp_state), F(cur_qp_state), F(path_mtu), F(path_mig_state), F(qkey), F(rq_psn), F(sq_psn),
	F(dest_qp_num), F(qp_access_flags), F(cap.max_send_wr), F(cap.max_recv_wr), F(cap.max_send_sge),
	F(cap.max_recv_sge), F(cap.max_inline_data), F(ah_attr.grh.dgid.raw[15]),
	F(ah_attr.grh.flow_label), F(ah_attr.grh.sgid_index), F(ah_attr.grh.hop_limit),
	F(ah_attr.grh.traffic_class), F(ah_attr.dlid), F(ah_attr.sl), F(ah_attr.src_path_bits),
	F(ah_attr.static_rate), F(ah_attr.is_global), F(ah_attr.port_num), F(pkey_index),
	F(en_sqd_async_notify), F(sq_draining), F(max_rd_atomic), F(max_dest_rd_atomic), F(min_rnr_timer),
	F(port_num), F(timeout), F(retry_cnt), F(rnr_retry), F(alt_pkey_index), F(alt_port_num),
	F(alt_timeout), F(alt_ah_attr.grh.dgid.raw[15]), F(alt_ah_attr.port_num), END,
};
#undef F
#define F(member) FIELD(struct ibv_qp_init_attr, member)
const struct mutant_field mutant_qp_init_attr[] = {
	F(qp_context), F(send_cq), F(recv_cq), F(srq), F(cap.max_send_wr), F(cap.max_recv_wr),
	F(cap.max_send_sge), F(cap.max_recv_sge), F(cap.max_inline_data), F(qp_type), F(sq_sig_all), END,
};
#undef F
#define F(member) FIELD(struct ibv_qp_init_attr_ex, member)
const struct mutant_field mutant_qp_init_attr_ex[] = {
	F(cap.max_send_wr), F(cap.max_recv_wr), F(cap.max_send_sge), F(cap.max_recv_sge),
	F(cap.max_inline_data), F(qp_type), F(sq_sig_all), F(send_ops_flags), END,
};
#undef F
#define F(member) FIELD(struct ibv_srq_attr, member)
const struct mutant_field mutant_srq_attr[] = {F(max_wr), F(max_sge), F(srq_limit), END};
#undef F
#define F(member) FIELD(struct ibv_srq_init_attr, member)
const struct mutant_field mutant_srq_init_attr[] = {
	F(srq_context), F(attr.max_wr), F(attr.max_sge), F(attr.srq_limit), END,
};
#undef F
#define F(member) FIELD(struct ibv_ah_attr, member)
const struct mutant_field mutant_ah_attr[] = {
	F(grh.dgid.raw[15]), F(grh.flow_label), F(grh.sgid_index), F(grh.hop_limit), F(grh.traffic_class),
	F(dlid), F(sl), F(src_path_bits), F(static_rate), F(is_global), F(port_num), END,
};
#undef F
#define F(member) FIELD(struct ibv_wc, member)
const struct mutant_field mutant_wc[] = {
	F(wr_id), F(status), F(opcode), F(vendor_err), F(byte_len), F(imm_data), F(invalidated_rkey),
	F(qp_num), F(src_qp), F(wc_flags), F(pkey_index), F(slid), F(sl), F(dlid_path_bits), END,
};
#undef F
#define F(member) FIELD(struct ibv_send_wr, member)
const struct mutant_field mutant_send_wr[] = {
	F(wr_id), F(next), F(num_sge), F(opcode), F(send_flags), F(imm_data), F(invalidate_rkey),
	F(wr.rdma.remote_addr), F(wr.rdma.rkey), F(wr.atomic.compare_add), F(wr.atomic.swap),
	F(wr.atomic.rkey), F(wr.ud.remote_qpn), F(wr.ud.remote_qkey), F(bind_mw.rkey),
	F(bind_mw.bind_info.addr), F(bind_mw.bind_info.length), F(bind_mw.bind_info.mw_access_flags), END,
};
#undef F
/* Of the second request of a list. */
#define SECOND(member) {"second." #member, offsetof(struct ibv_send_wr, member), \
			sizeof(((struct ibv_send_wr *)0)->member)}
const struct mutant_field mutant_second_send_wr[] = {
	SECOND(wr_id), SECOND(opcode), SECOND(send_flags), SECOND(num_sge), END,
};
#define F(member) FIELD(struct ibv_recv_wr, member)
const struct mutant_field mutant_recv_wr[] = {F(wr_id), F(next), F(num_sge), END};
#undef F
/* Of the first and the second piece of a request. */
const struct mutant_field mutant_sge[] = {
	{"sge.addr", offsetof(struct ibv_sge, addr), sizeof(uint64_t)},
	{"sge.length", offsetof(struct ibv_sge, length), sizeof(uint32_t)},
	{"sge.lkey", offsetof(struct ibv_sge, lkey), sizeof(uint32_t)}, END,
}, mutant_second_sge[] = {
	{"sge2.addr", offsetof(struct ibv_sge, addr), sizeof(uint64_t)},
	{"sge2.length", offsetof(struct ibv_sge, length), sizeof(uint32_t)}, END,
};
#define F(member) FIELD(struct ibv_async_event, member)
const struct mutant_field mutant_async_event[] = {F(event_type), F(element.port_num), F(element.qp), END};
#undef F
#define F(member) FIELD(struct ibv_mr, member)
const struct mutant_field mutant_mr[] = {F(addr), F(length), F(lkey), F(rkey), F(pd), F(context), END};
#undef F
#define F(member) FIELD(struct ibv_mw, member)
const struct mutant_field mutant_mw[] = {F(rkey), F(type), F(pd), F(context), END};
#undef F
#define F(member) FIELD(struct ibv_mw_bind, member)
const struct mutant_field mutant_mw_bind[] = {
	F(wr_id), F(send_flags), F(bind_info.addr), F(bind_info.length), F(bind_info.mw_access_flags), END,
};
#undef F
#define F(member) FIELD(struct ibv_cq, member)
const struct mutant_field mutant_cq[] = {F(context), F(channel), F(cq_context), F(cqe), END};
#undef F
#define F(member) FIELD(struct ibv_qp, member)
const struct mutant_field mutant_qp[] = {
	F(context), F(qp_context), F(pd), F(send_cq), F(recv_cq), F(srq), F(qp_num), F(state), F(qp_type), END,
};
#undef F
#define F(member) FIELD(struct ibv_srq, member)
const struct mutant_field mutant_srq[] = {F(context), F(srq_context), F(pd), END};
#undef F
#define F(member) FIELD(struct ibv_context, member)
const struct mutant_field mutant_context_struct[] = {F(device), F(num_comp_vectors), END};
#undef F
#define F(member) FIELD(union ibv_gid, member)
const struct mutant_field mutant_gid[] = {F(raw[0]), F(raw[10]), F(raw[15]), END};
#undef F
/* Of the 40 bytes before a datagram: the last byte of its source, by IPv6 and by IPv4. */
const struct mutant_field mutant_grh[] = {
	{"grh.source6", 23, 1}, {"grh.source4", 35, 1}, END,
};
#define F(member) FIELD(struct rdma_conn_param, member)
const struct mutant_field mutant_conn_param[] = {
	F(private_data), F(private_data_len), F(responder_resources), F(initiator_depth), F(flow_control),
	F(retry_count), F(rnr_retry_count), F(srq), F(qp_num), END,
};
#undef F
#define F(member) FIELD(struct rdma_cm_event, member)
const struct mutant_field mutant_cm_event[] = {
	F(id), F(listen_id), F(event), F(status), F(param.conn.private_data), F(param.conn.private_data_len),
	F(param.conn.responder_resources), F(param.conn.initiator_depth), F(param.conn.flow_control),
	F(param.conn.retry_count), F(param.conn.rnr_retry_count), F(param.conn.srq), F(param.conn.qp_num),
	F(param.ud.private_data), F(param.ud.private_data_len), F(param.ud.qp_num), F(param.ud.qkey),
	F(param.ud.ah_attr.grh.dgid.raw[15]), F(param.ud.ah_attr.grh.sgid_index), F(param.ud.ah_attr.grh.hop_limit),
	F(param.ud.ah_attr.port_num), F(param.ud.ah_attr.sl), END,
};
#undef F
#define F(member) FIELD(struct rdma_cm_id, member)
const struct mutant_field mutant_cm_id[] = {
	F(verbs), F(channel), F(context), F(qp), F(ps), F(port_num), F(event), F(send_cq), F(recv_cq), F(srq),
	F(pd), F(qp_type), END,
};
#undef F
/* The addresses of an identifier; "addr" is that of IPv4. */
#define AT(name, end, member) {#end "_" #name, offsetof(struct rdma_cm_id, route.addr.end##_sin.member), \
			       sizeof(((struct sockaddr_in *)0)->member)}
const struct mutant_field mutant_id_addresses[] = {
	AT(port, src, sin_port), AT(addr, src, sin_addr), AT(port, dst, sin_port), AT(addr, dst, sin_addr),
	FIELD(struct rdma_cm_id, verbs), END,
}, mutant_address[] = {
	{"family", offsetof(struct sockaddr, sa_family), 2}, {"port", offsetof(struct sockaddr_in, sin_port), 2},
	{"addr", offsetof(struct sockaddr_in, sin_addr), 4}, END,
};
#define F(member) FIELD(struct rdma_addrinfo, member)
const struct mutant_field mutant_addrinfo[] = {
	F(ai_flags), F(ai_family), F(ai_qp_type), F(ai_port_space), F(ai_src_len), F(ai_dst_len),
	F(ai_src_addr), F(ai_dst_addr), F(ai_src_canonname), F(ai_dst_canonname), F(ai_route_len), F(ai_route),
	F(ai_connect_len), F(ai_connect), F(ai_next), END,
};
#undef F
#define F(member) FIELD(struct ibv_path_record, member)
const struct mutant_field mutant_path[] = {
	F(service_id), F(dgid.raw[15]), F(sgid.raw[15]), F(dlid), F(slid), F(flowlabel_hoplimit), F(tclass),
	F(reversible_numpath), F(pkey), F(qosclass_sl), F(mtu), F(rate), F(packetlifetime), F(preference), END,
};
#undef F
