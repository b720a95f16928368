#!/bin/sh
# completion_shells.t -- zsh and fish offer all options of the programs, their values, and what
# follows them. completion.t is about bash.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"

touch data.one data.two
mkdir dir

# zsh_offers DIRECTORY WORDS: types WORDS and a tab into a zsh at a terminal of its own. Prints what is
# offered, sorted, once each.
cat >offers.zsh <<'EOF2'
zmodload zsh/zpty
rm -f out ready
zpty shell zsh -f -i
zpty -w shell "fpath=(${(q)1} \$fpath); autoload -Uz compinit; compinit -u -C -d ${(q)PWD}/compdump; setopt no_beep
compadd() { local -a got; builtin compadd -O got \"\$@\"; print -rl -- \$got >>out; builtin compadd \"\$@\" }
finish() { print -r -- DONE >>out }
comppostfuncs=(finish); bindkey '^I' complete-word; : >ready"
for i in {1..1200}; do [[ -e ready ]] && break; sleep 0.05; done
zpty -w -n shell "$2"$'\t'
for i in {1..1200}; do [[ -e out ]] && grep -q DONE out && break; sleep 0.05; done
zpty -d shell
grep -v '^DONE$' out | sed '/^$/d' | sort -u
EOF2
zsh_offers() { zsh -f offers.zsh "$MU_SRC/completions/zsh" "$1"; }
# fish prints what is offered, and a tab before what it does.
fish_offers() {
	fish --no-config -c "set fish_complete_path '$MU_SRC/completions/fish'; complete -C '$1'" |
		sed 's/	.*//; s/=$//; s/^--[a-z-]*=//; s/ $//' | sort -u
}

# The options in --help=all of a program.
options_of() {
	"$1" --help=all | sed -n 's/^  *\(-., \)\{0,1\}\(--[a-z0-9-]*\).*/\2/p' | sort -u
}

for shell in zsh fish; do
	if ! command -v $shell >/dev/null 2>&1 ||
		{ [ $shell = fish ] && ! fish --no-config -c true 2>/dev/null; }; then
		skip "no $shell here"
		continue
	fi
	# offers WANTED WORDS: the words offered, joined by blanks.
	offers() {
		is "$("${shell}_offers" "$2" | tr '\n' ' ')" "$1${1:+ }" "$shell: $2"
	}
	for program in memusage memusagestat memusageprint memusageserve; do
		[ -x "$MU_BUILD/bin/$program" ] || continue
		is "$("${shell}_offers" "$program --" | grep ^--)" "$(options_of $program)" \
			"$shell: all options of $program"
	done
	offers 'always auto never' 'memusage --color='
	offers 'data.one data.two' 'memusage --data=data.'
	offers 'data.two' 'memusage -q -d data.t'
	offers 'memusageprint' 'memusage --top --record memusagep'
	offers '--lifetimes' 'memusage -q memusageprint --lif'
	offers 'snapshot' 'memusage -q --pid=1 sn'
	offers 'data.one data.two' 'memusage --finish data.'
	offers 'callgrind' 'memusageprint data.one --to=c'
	offers 'end peak total' 'memusageprint --tree='
	offers 'github gitlab' 'memusage --ci=g'
	offers 'junit' 'memusageprint data.one --ci=ju'
	if [ -x "$MU_BUILD/bin/memusagestat" ]; then
		offers 'data.one' 'memusagestat data.o'
		offers 'classic dark light' 'memusagestat data.one --theme='
	fi
done

# The commands of --pid are the same in the three completions.
commands() { sed -n "s/.*\(status[| a-z_]*help\).*/\1/p" "$1" | tr '|' ' '; }
is "$(commands "$MU_SRC/completions/zsh/_memusage")" "$(commands "$MU_SRC/completions/bash/memusage")" \
	'zsh has the commands of bash'
is "$(commands "$MU_SRC/completions/fish/memusage.fish")" \
	"$(commands "$MU_SRC/completions/bash/memusage")" 'fish has the commands of bash'
done_testing
