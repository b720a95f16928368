# holders.sh -- programs of which one asks who holds their blocks. Source after tap.sh.
#
#	start_held PROGRAM [ARGUMENT]...  runs it recorded, its job is $launcher, with its input open, until
#	                         it has printed a line, which is in printed
#	go_on                    lets it end; returns its status
#
# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=sh

start_held() {
	rm -f go printed
	mkfifo go
	memusage --quiet -o whole --top "$@" <go >printed &
	launcher=$!
	exec 9>go
	until_true grep -q . printed
}
go_on() {
	echo >&9
	exec 9>&-
	wait "$launcher"
}
