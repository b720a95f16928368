#!/bin/sh
# decoys.t -- what another user puts where root writes an output, looks for a directory or executes
# memusage at a program's end is neither waited for nor used.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
. "$MU_SRC/tests/lib/recorder.sh"
. "$MU_SRC/tests/lib/users.sh"
need perl
need_bin memusage memusageprint heap alone
need_users
PATH=$WORKLOADS:$PATH

# ---- pipes that nobody reads, where other users may make files

chmod 1777 "$user_dir"
chown 0:0 "$user_dir"
as_user sh -c "mkfifo $user_dir/pipe"
ok 'a recording' memusage -q --record=run.mur heap
for option in -o -d --record= --massif-out-file= --dhat-out-file= --log-file=; do
	run timeout 20 memusage "$option$user_dir/pipe" heap
	is "$status" 125 "$option: another user's pipe is refused before the run"
	like "$err" "cannot write $user_dir/pipe: it belongs to another user" '... with the reason'
done
run timeout 20 memusageprint --top -o "$user_dir/pipe" run.mur
is "$status" 1 'memusageprint refuses it'
like "$err" 'it belongs to another user' '... likewise'

# Names that are known only during the run: those of processes that come.
next=$(sh -c 'echo $$')
as_user sh -c "for i in \$(seq 1 1000); do echo $user_dir/all.\$(($next + i)); done | xargs mkfifo"
run timeout 60 memusage -q --children=files -d "$user_dir/all" sh -c 'heap; heap; exit 3'
is "$status" 3 'pipes in the place of data files: the run ends'
like "$err" 'cannot write|cannot be written|Operation not permitted' '... and says what it could not write'

# A pipe of ours is waited for.
mkfifo ours
(sleep 1 && cat ours >got) &
run timeout 20 memusage -o ours heap
wait
like "$(cat got)" 'heap total' 'a pipe of our own, whose reader comes late'

# ---- links

chmod 777 "$user_dir"
as_user ln -s "$MU_TMP/victim" "$user_dir/theirs"
ln -s "$user_dir/theirs" chain
run memusageprint --top -o chain run.mur
is "$status" 1 'a link of ours to a link of theirs'
like "$err" 'the symbolic link belongs to another user' '... is not followed'
nok '... and nothing is made' [ -e victim ]
ln -s middle outer
ln -s ./end middle
ok 'a chain of our own links' memusageprint --top -o outer run.mur
ok '... is followed' test -f end
is "$(memusageprint --top -o /dev/stdout run.mur | cmp - end)" '' 'links of the kernel'

# They exchange a link of ours and one of theirs all the time, which a directory without the sticky bit allows.
cat >exchange.c <<'END'
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	alarm(60);
	while (argc > 2)
		if (renameat2(AT_FDCWD, argv[1], AT_FDCWD, argv[2], RENAME_EXCHANGE) < 0)
			return 1;
	return 0;
}
END
if "${CC:-gcc}" -o "$user_dir/exchange" exchange.c 2>/dev/null; then
	chmod 755 "$user_dir/exchange"
	echo precious >victim
	ln -s "$MU_TMP/end" "$user_dir/ours"
	as_user "$user_dir/exchange" "$user_dir/ours" "$user_dir/theirs" &
	exchange=$!
	written=0 tried=0
	while [ $tried -lt 200 ] && [ "$(cat victim)" = precious ]; do
		memusageprint --top -o "$user_dir/ours" run.mur 2>/dev/null && written=$((written + 1))
		tried=$((tried + 1))
	done
	kill "$exchange"
	wait "$exchange"
	num $written -gt 0 'while links are exchanged, ours is followed sometimes'
	is "$(cat victim)" precious '... and never theirs'
else
	skip 'no compiler' 2
fi

# ---- without memusage: LD_PRELOAD alone

chmod 755 "$user_dir"
chown 64123:64123 "$user_dir"
as_user mkdir -m 700 "$user_dir/run"
# in_runtime DIR: which recordings are there while a program runs that is recorded
in_runtime() {
	run env -u MEMUSAGE_DIR LD_PRELOAD="$LIB" XDG_RUNTIME_DIR="$1" perl -e \
		'opendir my $d, $ARGV[0]; print map { "$_\n" } grep { /^memusage.*mur$/ } readdir $d' "$1"
}
in_runtime "$user_dir/run"
is "$out" '' 'the runtime directory of another user is not used'
like "$err" '^ malloc\|' '... the program is recorded'
in_runtime "$MU_TMP"
like "$out" '^memusage-[0-9]+-0.mur$' 'but our own is'

cat >decoy.c <<'END'
#include <fcntl.h>
int main(void)
{
	return open("/executed", O_CREAT | O_WRONLY, 0600) < 0;
}
END
if chroot / true 2>/dev/null && "${CC:-gcc}" -static -o "$user_dir/decoy" decoy.c 2>/dev/null; then
	chmod 755 "$user_dir/decoy"
	as_user sh -c "mkdir -p $user_dir/$MU_BUILD/bin && cp $user_dir/decoy $user_dir/$MU_BUILD/bin/memusage"
	mkdir arena
	run env LD_PRELOAD="$LIB" MEMUSAGE_DIR="$MU_TMP/arena" alone chroot "$user_dir"
	is "$status" 4 'a program that enters a directory of another user by chroot()'
	nok '... executes no memusage that lies there' [ -e "$user_dir/executed" ]
	num "$(find arena -name '*.mur' | wc -l)" -ge 1 '... and leaves its recording'
	run memusage --finish arena/*
	cp .err report
	is "$(report_field 4992-5007 count)" 1 '... which can be reported'
else
	skip 'no chroot() or no static programs here' 4
fi
done_testing
