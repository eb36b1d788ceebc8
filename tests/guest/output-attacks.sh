#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# output-attacks.sh HOME: on a host, as its root: put into the folder that a guest may write to
# with --output whatever could lead the outside astray. HOME has files of the caller's.
home=$1
cd /run/verbatim-kept || exit 1
for file in 1-a.out 1-a.err commands.tsv notes.txt kernel.txt stuck.txt wire.tsv counters.tsv console-1.log \
	capture.pcapng; do
	ln -sf "$home/.bashrc" "$file"
done
mkdir a c Folder
ln -s "$home" b
ln -s "$home/.bashrc" a/link.core
ln -s "$home/.bashrc" a/link.txt
mkfifo a/fifo.core a/fifo.txt
mknod a/device.core c 1 5
cp /bin/true a/suid.core
chmod 4755 a/suid.core
echo twice >a/twice.core
ln a/twice.core a/again.core
echo odd >"a/$(printf 'odd\033[31m.core')"
echo minus >a/--option.core
echo in >Folder/in
mkdir -p c/deep/deeper/deepest && echo deep >c/deep/deeper/deepest/file
chmod 000 c
echo core >a/evil.1.core
printf 'program: --eval-command=shell touch %s/from-gdb\nsignal: 11\nprocess: 1\n' "$home" >a/evil.1.txt
truncate -s 10T a/huge.1.core
printf 'program: /bin/true\nsignal: 11\nprocess: 1\n' >a/huge.1.txt
chown -h 12345 a/evil.1.txt
ln -s "$home" "../verbatim-kept/../verbatim-kept/up"
echo 'what the caller is to have in its output'
echo 'and in its errors' >&2
kill -SEGV $$
