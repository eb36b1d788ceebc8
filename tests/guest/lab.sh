# shellcheck shell=sh
# SPDX-License-Identifier: BSD-2-Clause
# For tests of machines of one's own: the machines are hosts a and b of a fabric, each with an sshd of its own, and the test
# itself is on host c. Source it after tests/tap.sh. It makes $lab, a folder that all hosts share.
#
#   on_lab SCRIPT [OPTION...]  host c runs SCRIPT, in which $lab, $ssh, $VERBATIM and $hosts, the hosts file, are replaced;
#                  OPTIONS are for the verbatim exec that makes the lab, which $lab_limit ends (in seconds; 300). What it
#                  printed is in $said
#                  With $lab/apart begun by the script (". $lab/apart"), ssh has a cable of its own to each machine, and
#                  $hosts names the machines by these: root@192.0.2.2 is a, root@192.0.2.6 is b.
#   says TEXT NAME  $said has TEXT
# shellcheck disable=SC2154 # tests/tap.sh sets them

for program in ssh ssh-keygen sshd; do
	PATH=$PATH:/usr/sbin command -v $program >"$tmp/$program" || skip_all "there is no $program"
done
sshd=$(cat "$tmp/sshd")

# Keys, and a home whose shell prints a banner.
lab=$tmp/lab
mkdir -p "$lab/home/.ssh" "$lab/out"
chmod 700 "$lab/home" "$lab/home/.ssh"
ssh-keygen -q -t ed25519 -N '' -f "$lab/key"
ssh-keygen -q -t ed25519 -N '' -f "$lab/host_key"
cp "$lab/key.pub" "$lab/authorized"
echo 'echo Welcome to the lab' >"$lab/home/.bashrc"
cat >"$lab/sshd.conf" <<EOF
HostKey $lab/host_key
AuthorizedKeysFile $lab/authorized
PidFile none
UsePAM no
StrictModes no
PermitRootLogin yes
LogLevel ERROR
EOF
printf '* ' >"$lab/known"
cat "$lab/host_key.pub" >>"$lab/known"
printf '* ' >"$lab/strange"
cat "$lab/key.pub" >>"$lab/strange"
for known in known strange; do
	cat >"$lab/$known.conf" <<-EOF
	IdentityFile $lab/key
	IdentitiesOnly yes
	UserKnownHostsFile $lab/$known
	StrictHostKeyChecking yes
	EOF
done

# The home of root on all hosts, which the machine's own root does not see.
cat >"$lab/serve" <<EOF
echo \$\$ >$lab/pid.\$VERBATIM_HOST
mount --bind $lab/home /root && mkdir -p /run/sshd && exec $sshd -D -e -f $lab/sshd.conf
EOF
# The first value of an option counts. Nothing here is timed, and a busy machine may be slow.
patient='-o ConnectTimeout=200 -o ServerAliveInterval=100'
# ssh that leaves its number, so that the test can kill it.
cat >"$lab/ssh" <<EOF
#!/bin/sh
echo \$\$ >"$lab/out/ssh.\$VBM_WHO"
exec $(cat "$tmp/ssh") $patient -F "$lab/known.conf" "\$@"
EOF
chmod +x "$lab/ssh"
cat >"$lab/lab.hosts" <<EOF
a: {ssh: root@IP_A, command: 'env VBM_WHO=a $lab/ssh', address: IP_A}
b: {ssh: root@IP_B, command: 'env VBM_WHO=b $lab/ssh'}
EOF

# What host c does first: the hosts file, with the addresses of this fabric.
cat >"$lab/begin" <<EOF
cd $VBM_SRCDIR
sed "s/IP_A/\$VERBATIM_IP_A/g; s/IP_B/\$VERBATIM_IP_B/g" $lab/lab.hosts >$lab/hosts
EOF

# The management network of a lab: ssh stays when the interface of the device is down.
cat >"$lab/apart" <<EOF
for host in a b; do
	pid=\$(cat $lab/pid.\$host)
	[ \$host = a ] && here=192.0.2.1 there=192.0.2.2 || here=192.0.2.5 there=192.0.2.6
	ip link add to-\$host type veth peer name mgmt netns \$pid
	ip address add \$here/30 dev to-\$host
	ip link set to-\$host up
	nsenter -t \$pid -n ip address add \$there/30 dev mgmt
	nsenter -t \$pid -n ip link set mgmt up
done
sed "s/root@\$VERBATIM_IP_A/root@192.0.2.2/; s/root@\$VERBATIM_IP_B/root@192.0.2.6/" $lab/hosts >$lab/apart.hosts
mv $lab/apart.hosts $lab/hosts
EOF

on_lab() {	# on_lab SCRIPT [OPTION...]
	sed "s,\$lab,$lab,g; s,\$ssh ,$(cat "$tmp/ssh") ,g; s,\$VERBATIM ,$VERBATIM ,g; s,\$hosts,$lab/hosts,g" "$1" |
		cat "$lab/begin" - >"$lab/script"
	shift
	run env PATH="/usr/bin:/bin:/usr/sbin:/sbin" "$VERBATIM" exec --lane "$lane" --layout netns --hosts 3 --cpus 1 --timeout "${lab_limit:-300}" \
		--share "$lab" "$@" --serve a,b="sh $lab/serve" --on c="mount --bind $lab/home /root && sh $lab/script"
	said=$out
}
says() { tap_has "$said" "$1" "$2"; }
