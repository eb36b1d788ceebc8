# shellcheck shell=sh
# SPDX-License-Identifier: BSD-2-Clause
# A Slurm of one node, for tests: its own configuration, key, ports and folders in $tmp, under the user of the test.
# Source this after daemons.sh. slurm_start starts it and exports SLURM_CONF; it ends with the test.

# shellcheck disable=SC2154 # tap.sh
trap 'slurm_stop; rm -rf "$tmp"' EXIT

slurm_needs() {
	for program in munged slurmctld slurmd sbatch python3; do
		command -v $program >/dev/null || skip_all "$program is not installed (packages munge, slurmctld, slurmd)"
	done
}

slurm_conf() {	# slurm_conf CONTROLLER_PORT NODE_PORT
	host=$(hostname -s) user=$(id -un)
	cat <<-EOT
	ClusterName=test
	SlurmctldHost=$host(127.0.0.1)
	SlurmctldPort=$1
	SlurmdPort=$2
	AuthType=auth/munge
	AuthInfo=socket=$tmp/slurm/munge.socket
	CredType=cred/munge
	SlurmUser=$user
	SlurmdUser=$user
	StateSaveLocation=$tmp/slurm/state
	SlurmdSpoolDir=$tmp/slurm/spool
	SlurmctldPidFile=$tmp/slurm/slurmctld.pid
	SlurmdPidFile=$tmp/slurm/slurmd.pid
	ProctrackType=proctrack/pgid
	TaskPlugin=task/none
	JobAcctGatherType=jobacct_gather/none
	SelectType=select/cons_tres
	SelectTypeParameters=CR_CPU
	SlurmdParameters=config_overrides
	ReturnToService=2
	MailProg=/bin/true
	MpiDefault=none
	KillWait=60
	SchedulerParameters=batch_sched_delay=0,sched_interval=1,bf_interval=1
	NodeName=$host NodeAddr=127.0.0.1 CPUs=4 RealMemory=4000 State=UNKNOWN
	PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
	EOT
}

slurm_start() {
	mkdir -p "$tmp/slurm/state" "$tmp/slurm/spool"
	chmod 755 "$tmp"
	(umask 077 && head -c 1024 /dev/urandom >"$tmp/slurm/key")
	# shellcheck disable=SC2046 # two words
	slurm_conf $(free_ports 2) >"$tmp/slurm/slurm.conf"
	SLURM_CONF=$tmp/slurm/slurm.conf
	export SLURM_CONF
	daemon_start 'Created socket' munged munged --foreground --force --key-file="$tmp/slurm/key" \
		--socket="$tmp/slurm/munge.socket" --pid-file="$tmp/slurm/munged.pid" --log-file="$tmp/slurm/munge.log" \
		--seed-file="$tmp/slurm/seed" &&
	daemon_start 'Running as primary controller' slurmctld slurmctld -D -c -v &&
	daemon_start 'slurmd started on' slurmd slurmd -D
}

# scancel returns before the jobs have ended, and only the node's daemon can tell them to end. A job that depends on all
# of them, and does nothing, ends after them.
slurm_stop() {
	if [ -n "$daemon_pids" ] && [ -n "${SLURM_CONF:-}" ]; then
		scancel --user="$(id -un)" --full 2>/dev/null
		jobs=$(timeout 20 squeue -h -o %A 2>/dev/null | sort -u | paste -sd: -)
		[ -z "$jobs" ] || timeout 100 sbatch --wait --dependency="afterany:$jobs" --output=/dev/null --wrap true >/dev/null 2>&1
	fi
	daemons_stop
}
