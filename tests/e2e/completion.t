#!/bin/sh
# completion.t -- what bash offers while a memusage command line is being typed.
#
# The program is a stand-in that only has a --help, so that this tests the completion's own
# parsing; tests/lint/options.t asks the real programs.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
need bash

mkdir bin
cat >bin/memusage <<'EOF'
#!/bin/sh
cat <<'HELP'
Usage: memusage [OPTION]... PROGRAM [ARGUMENT]...

Output:
  -d, --data=FILE           write the data to FILE; see --other
      --color=auto|always|never
                            colours
      --record[=FILE]       keep the recording
      --ci=github|json      for CI
  -m, --mmap                count mmap
      --pid=PID             talk to process PID
      --finish              report FILE...
HELP
EOF
chmod +x bin/memusage
sed 's/memusage .*/memusagestat [OPTION]... FILE [OUTFILE]/' bin/memusage >bin/memusagestat
chmod +x bin/memusagestat
PATH=$MU_TMP/bin:$PATH
touch data.one data.two

# complete PROGRAM WORD...: the last word is being typed. Prints what is offered, sorted.
complete_words() {
	# shellcheck disable=SC2016  # for the inner bash
	bash --norc -c '
		. "$1"; shift; program=$1
		COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMP_LINE="$*" COMP_POINT=${#COMP_LINE}
		"_memusage" "$program" "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
		printf "%s\n" "${COMPREPLY[@]}" | sort -u | tr "\n" " "
	' bash "$MU_SRC/completions/bash/$1" "$@"
}

is "$(complete_words memusage --)" '--ci= --color= --data= --finish --mmap --pid= --record ' 'every option'
is "$(complete_words memusage --da)" '--data= ' 'an option that takes a value'
is "$(complete_words memusage -d data.)" 'data.one data.two ' 'files for a letter'
is "$(complete_words memusage --data data.t)" 'data.two ' 'files for an option'
is "$(complete_words memusage --data = data.t)" 'data.two ' 'files after its ='
is "$(complete_words memusage --data =)" 'bin data.one data.two ' 'files right after its ='
is "$(complete_words memusage --color = a)" 'always auto ' 'the words of a choice'
is "$(complete_words memusage --ci = gi)" 'github ' 'a format of --ci'
is "$(complete_words memusage --ci = json : data.t)" 'data.two ' '... and its file'
is "$(complete_words memusage --ci = json :)" 'bin data.one data.two ' '... right after the colon'
is "$(complete_words memusage --ci = json : data.one memusagest)" 'memusagestat ' \
	'... and a command behind it'
is "$(complete_words memusage -m -d data.one --record memusagest)" 'memusagestat ' \
	'a command, past options and their values'
is "$(complete_words memusage --color = auto -- memusagest)" 'memusagestat ' 'a command after --'
is "$(complete_words memusage memusagestat data.t)" 'data.two ' "the command's own files"
is "$(complete_words memusage memusagestat --da)" ' ' "the command's options are not ours"
is "$(complete_words memusagestat --d)" '--data= ' 'memusagestat: an option'
is "$(complete_words memusagestat data.o)" 'data.one ' 'memusagestat: a file'
is "$(complete_words memusagestat data.one data.t)" 'data.two ' 'memusagestat: a second file'
is "$(complete_words memusagestat data.one --m)" '--mmap ' 'memusagestat: an option after a file'
is "$(complete_words memusagestat data.one --color = n)" 'never ' 'memusagestat: a choice'
is "$(complete_words memusage --finish data.)" 'data.one data.two ' 'files for --finish'
is "$(complete_words memusage --pid = 1 d)" 'detailed_snapshot ' 'commands for --pid'
is "$(complete_words memusage --pid 1 detailed_snapshot data.o)" 'data.one ' '... and a file for them'
if [ -x "$MU_BUILD/bin/memusage" ]; then
	help=$("$MU_BUILD/bin/memusage" --help=all)
	for word in $(complete_words memusage --pid 1 ''); do
		like "$help" "[ ,]$word(,| \\[FILE\\]|\$)" "--pid $word is in --help"
	done
fi
done_testing
