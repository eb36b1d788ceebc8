#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# In QEMU's place (VERBATIM_QEMU): a guest that has broken out of its emulator and is a process of
# this machine. It tries what such a one would, and writes "NAME done" or "NAME refused" to the file
# "results" of the shared folder. What it has to know is in the file "attack" beside it, as it gets no
# environment; "control=yes" spares the machine what would harm it if it went through.
# shellcheck disable=SC2016 # the shell of each attack expands
here=$(dirname "$0")
world='' token='' front='' control=''
# shellcheck disable=SC1091 # the test writes it
. "$here/attack"
home=$world/home
export world front token home here

try() {	# try NAME COMMAND: by a shell of its own
	if sh -c "$2" >/dev/null 2>&1; then
		echo "$1 done"
	else
		echo "$1 refused"
	fi
}

exec >>"$world/rw/results"
try append 'echo evil >>$home/.bashrc'
try new-file 'echo evil >$home/authorized_keys'
try symlink 'ln -s /etc/passwd $home/link'
try hard-link 'ln $home/.bashrc $world/rw/linked'
try chmod 'chmod 777 $home/mode-of-me'
try touch 'touch -d 2001-01-01 $home/touch-me'
try rename 'mv $home/rename-me $home/renamed'
try remove 'rm $home/remove-me'
try fifo 'mkfifo $home/fifo'
try device 'mknod $world/rw/device c 1 3'
try readonly-share 'echo evil >$world/ro/file'
try kernel-store 'echo evil >$world/cache/verbatim/kernels/evil && rm $world/cache/verbatim/kernels/evil'
try image 'for image in $world/cache/verbatim/images/*; do echo evil >>$image; done'
try tmp 'echo evil >/tmp/$token'
try shm 'echo evil >/dev/shm/$token'
# Its own console is in memory, and the results are where it may write.
try descriptors 'for fd in /proc/self/fd/[3-9] /proc/self/fd/[1-9][0-9]; do
	case $(readlink $fd) in /memfd:verbatim-console* | $world/rw/*) continue ;; esac
	test "$(stat -L -c %F $fd)" != "regular file" || ! echo evil >>$fd || exit 0; done; exit 1'
if [ "$control" != yes ]; then
	try remount 'mount -o remount,rw / && echo evil >$home/remount'
	try unmount 'umount -l /dev && echo evil >/dev/shm/$token'
fi
try own-namespace 'unshare -Urm sh -c "mount -o remount,bind,rw / && echo evil >$home/unshared"'
try front-root 'echo evil >/proc/$front/root$home/by-front-root'
try front-folder 'echo evil >/proc/$front/cwd/home/by-front-folder'
try front-environment 'grep -z SECRET_TOKEN /proc/$front/environ'
try own-environment 'env | grep SECRET_TOKEN'
try first-environment 'grep -z SECRET_TOKEN /proc/self/environ'
try signal 'kill -0 $front'
try abstract-socket 'perl -MSocket -e "socket(S, AF_UNIX, SOCK_STREAM, 0); connect(S, pack(q(Sa*), AF_UNIX, qq(\\0$token))) or exit 1"'
try set-user-id 'cp /bin/true $world/rw/suid && chmod 4755 $world/rw/suid'
try set-user-id-open 'perl -MFcntl -e "umask 0; sysopen(F, q($world/rw/suid2), O_CREAT|O_WRONLY, 04755) or exit 1"'
try program-that-gains 'test "$(sh -c "su -c true nobody; grep NoNewPrivs /proc/self/status | cut -f2")" != 1'
try share 'echo text >$world/rw/new && mkdir $world/rw/folder && mv $world/rw/new $world/rw/folder/new'
exit 1
