/* SPDX-License-Identifier: BSD-2-Clause */
#include "fabric/fabric-priv.h"
#include "net/netns.h"

int machine_journal(struct fabric *fabric, struct vbm_error *err)
{
	char place[NETNS_NAME_MAX];
	int ret;

	if (fabric->journal)
		return 0;
	ret = journal_create(&fabric->journal, err);
	if (ret < 0)
		return ret;
	fabric->run = journal_run(fabric->journal);
	fabric->undo = undo_new(&(struct undo_ops){undo_kinds, fabric->nl}, fabric->run, fabric->journal);
	netns_name(place);
	ret = undo_push(fabric->undo, err, "place", place, NULL);
	fabric->kept_from = undo_count(fabric->undo);
	return ret;
}
