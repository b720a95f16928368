# memusage.fish -- fish completion for the programs of memusage: their options with
# what they do, their values, and files, or any command and its own completion.
#
# The options are read from `PROGRAM --help=all`, so that they cannot fall behind. The file's own
# name is the command it completes, whatever name it was installed under. In fish 4 a '?' of a
# pattern stands for itself, in fish 3 for any character: patterns here are regular expressions.
#
# SPDX-License-Identifier: LGPL-2.1-or-later

# Prints the index of the first word that is no option of the command being typed, and fails if
# there is none yet. The arguments are the options whose value is a word of its own.
function __memusage_operand
	set -l words (commandline -opc)
	set -l i 2
	while test $i -le (count $words)
		if test "$words[$i]" = --
			set i (math $i + 1)
			break
		else if not string match -q -r -- '^-.' $words[$i]
			break
		else if contains -- $words[$i] $argv
			set i (math $i + 1)
		end
		set i (math $i + 1)
	end
	echo $i
	test $i -le (count $words)
end

# Whether the command being typed has one of the options, with or without a value.
function __memusage_has
	set -l words (commandline -opc)
	for option in $argv
		string match -q -r -- "^$option(=|\$)" $words; and return 0
	end
	return 1
end

# Offers what can follow the program that is being profiled.
function __memusage_program
	set -l words (commandline -opc)
	set -l first (__memusage_operand $argv)
	set -l typed (commandline -ct)
	if test $first -gt (count $words)
		__fish_complete_command
	else
		set -l line (string join ' ' -- (string escape -- $words[$first..-1]) $typed)
		complete --do-complete="$line"
	end
end

# Makes the completions of program $argv[1].
function __memusage_complete
	set -l program $argv[1]
	set -l is_launcher false
	set -l lines
	for line in ($program --help=all </dev/null 2>/dev/null)
		if string match -q -r '^Usage:.* PROGRAM ' -- $line
			set is_launcher true
		else if string match -q -r '^ {20,}\S' -- $line
			# What an option does may take several lines.
			set -l rest (string trim -- $line)
			test (count $lines) -gt 0; and set lines[-1] "$lines[-1] $rest"
		else if string match -q -r '^ +-' -- $line
			set -a lines $line
		end
	end

	set -l pattern '^ +(?:-(?<letter>.), )?--(?<name>[a-z0-9-]+)' \
		'(?<text>\[?=(?<value>[^\] ]+)\]?)? *(?<does>.*)$'
	set -l apart
	set -l is_first 'not __memusage_operand $__memusage_apart >/dev/null'
	for line in $lines
		set -l letter
		set -l name
		set -l text
		set -l value
		set -l does
		string match -q -r (string join "" -- $pattern) -- $line; or continue
		set -l spec -l $name
		test -n "$letter"; and set -a spec -s $letter
		# A value in brackets only follows a '='; another may be the next word.
		if test -n "$value"; and not string match -q '[*' -- $text
			set -a apart --$name
			test -n "$letter"; and set -a apart -$letter
			set -a spec -r
		end
		switch "$value"
			case ''
				set -a spec -f
			case '*|*'
				set -l words (string split '|' -- $value)
				set words (string match -v -r '^[A-Z]+$' -- $words)
				set -a spec -f -a "$words"
			case FILE
				set -a spec -F
			case DIR
				set -a spec -f -a '(__fish_complete_directories)'
			case PID
				set -a spec -f -a '(__fish_complete_pids)'
			case '*'
				set -a spec -f
		end
		# Behind the program its own options are completed.
		$is_launcher; and set -a spec -n $is_first
		complete -c $program $spec -d "$does"
	end

	$is_launcher; or return
	set -g __memusage_apart $apart
	set -l commands status snapshot detailed_snapshot all_snapshots xtmemory stop start help
	complete -c $program -f -n 'not __memusage_has --pid --finish' \
		-a '(__memusage_program $__memusage_apart)'
	complete -c $program -f -n "__memusage_has --pid; and $is_first" -a "$commands"
end

__memusage_complete (basename (status filename) .fish)
