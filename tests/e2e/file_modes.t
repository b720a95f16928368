#!/bin/sh
# file_modes.t -- every file that can hold a command line is its user's alone, whatever the umask is,
# also if it was there before; what another user made is not written. The data file, its picture and
# the report hold none, and have the mode that the umask leaves.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
. "$MU_SRC/tests/lib/users.sh"
need_bin memusage memusageprint heap
PATH=$WORKLOADS:$PATH
umask 022
secret=xyzzy-4711

mode() { stat -c %a "$1"; }
# text FILE: its text, whatever it is packed in
text() { zcat -f "$1" 2>/dev/null | tr -c '[:print:]' '\n'; }
# judge PUBLIC [FILE]...: all of this directory, of which these are for the public. The counts tell
# that the test has looked at anything.
judge() {
	public=" $* "
	private=0 shown=0
	for file in *; do
		case $public in *" $file "*) want=644 ;; *) want=600 private=$((private + 1)) ;; esac
		is "$(mode "$file")" $want "$file"
		text "$file" | grep -aq "$secret" || continue
		shown=$((shown + 1))
		case $public in *" $file "*) fail "$file: holds no command line" ;; esac
	done
}

# ---- what a run writes

mkdir run old && cd run || exit
set -- -v --top --tree --leaks --temporary --massif --dhat --xtree-memory=full --spacetime \
	--record=r.mur --massif-out-file=m --dhat-out-file=dhat --xtree-memory-file=x.kcg \
	--snapshot-when='heap>1' --snapshot-file=snapshot.%n
has_program memusagestat && set -- "$@" -d d.dat -p d.png && has_page "$MU_BUILD" &&
	set -- "$@" --html=p.html
run memusage -o report "$@" heap $secret
rm -f .out .err
judge report d.dat d.png
num $private -ge 7 'a run writes files that are private'
num $shown -ge 6 '... which hold the command line'
for file in *; do cp "$file" ../old && chmod 644 "../old/$file"; done
# Of a list, or the number of a process: those of before.
cd ../old || exit
rm -f massif.*.* snapshot.*
run memusage -o report "$@" heap $secret
judge report d.dat d.png
num $private -ge 7 '... also if files of those names were for the public before'
for form in ms html; do
	mkdir "../$form" && cd "../$form" || exit
	memusage -q --xtree-memory=allocs --xtree-memory-file=x.ms --spacetime --format=html \
		heap $secret >/dev/null 2>&1
	judge
done
num $private -ge 2 'other forms'

# ---- what is made of it later

mkdir ../later && cd ../later || exit
formats=$(memusageprint --help=all | sed -n 's/.*--to=\([a-z|]*\).*/\1/p' | tr '|' ' ')
for format in $formats; do
	for input in ../run/r.mur ../run/m ../run/dhat; do
		memusageprint --to="$format" -o "$format.${input##*/}" $input 2>/dev/null
	done
done
for report in summary top tree leaks temporary marks plot; do
	memusageprint "--$report" -o "$report" ../run/r.mur 2>/dev/null
done
memusageprint -o text ../run/m
if has_program memusagestat; then
	for input in ../run/r.mur ../run/m ../run/dhat; do
		for kind in '' --flame --histogram --bands --html=page; do
			for suffix in png svg ps; do
				# shellcheck disable=SC2086
				memusagestat $kind $input "$kind.${input##*/}.$suffix" 2>/dev/null
			done
		done
	done
	memusagestat ../run/d.dat data.png
	memusagestat ../run/d.dat data.svg 2>/dev/null
fi
judge data.png data.svg
num $private -ge 12 'what is made later is private'
num $shown -ge 6 '... and holds the command line'
cd ..

# ---- of a process that runs

mkfifo in out
memusage -q -o /dev/null --massif --massif-out-file=/dev/null live $secret <in >out &
exec 3>in 4<out
echo alloc 10 1000 >&3
read -r _ <&4
pid=$(pids live $!)
mkdir pid && cd pid || exit
for command in 'snapshot s' 'detailed_snapshot d' 'all_snapshots a' 'xtmemory x' 'xtmemory x.ms'; do
	# shellcheck disable=SC2086
	memusage -q "--pid=$pid" $command
done
judge
num $private -eq 5 'snapshots are private'
exec 3>&- 4<&-
cd ..

# ---- what another user made

if has_users; then
	cd "$user_dir" || exit
	as_user sh -c "umask 0; for f in m dhat x.kcg r.mur; do echo theirs >$user_dir/\$f; done"
	for option in --record=r.mur --massif-out-file=m --dhat-out-file=dhat \
		--xtree-memory-file=x.kcg; do
		file=${option#*=}
		run memusage -q "$option" --xtree-memory=allocs heap $secret
		isnt "$status" 0 "$option: another user's file"
		like "$err" "cannot write $file: it belongs to another user" '... is refused'
		is "$(cat "$file")" theirs '... and left as it is'
	done
	run memusageprint --to=json -o m "$MU_TMP/run/r.mur"
	is "$status,$(cat m)" 1,theirs 'memusageprint likewise'
	rm -f x.kcg xtmemory*
	as_user ln -s r.mur "$user_dir/link"
	run memusage -q --record=link heap
	like "$err" 'the symbolic link belongs to another user' 'a link of theirs is not followed'
else
	skip "$no_users" 14
fi
done_testing
