#!/bin/sh
# asked_findings.t -- what clients have found out about a process by leak_check and holders is in the
# copies and pages that others make of it later, on the page that is served, and in the recording of
# the run, also if the program is killed; not if it was of another image.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
. "$MU_SRC/tests/lib/leaks.sh"
. "$MU_SRC/tests/lib/serve.sh"
. "$MU_SRC/tests/lib/steps.sh"
need_bin memusage memusageprint memusagestat leak_hidden
need mkfifo jq
need_tracing
PATH=$WORKLOADS:$PATH

# begin OPTIONS: run it recorded
begin() {
	begin_steps memusage -q -o whole --record=run.mur "$@" leak_hidden
	program=$(pids leak_hidden "$launcher" | head -1)
	await_input
}
ask() { memusage --pid="$program" "$@" 2>/dev/null; }
# view FILE.html: the first line of its view "Leak check"
view() { node "$MU_SRC/tests/lib/page_losses.mjs" "$MU_SRC" "$1" | head -1; }
# kept FILE: how many leak checks and examinations of holders are in a recording
kept() { memusageprint --to=json "$1" | jq -c '[(.leak_checks | length), (.holders | length)]'; }
# lost FILE: bytes and blocks that the report of a recording calls definitely lost
lost() {
	memusageprint --leak-check "$1" >report 2>report.err
	leak_sums report | cut -d' ' -f1
}

# ---- copies -------------------------------------------------------------------------------------

begin
ask record none.mur
is "$(kept none.mur)" '[0,0]' 'before anyone has asked, nothing is kept'
ask leak_check summary any >/dev/null
ask record one.mur
is "$(kept one.mur)" '[1,0]' 'a copy has the leak check that was asked for before'
is "$(lost one.mur)" '4000/225' '... with its sums'
ask holders >/dev/null
ask record both.mur
is "$(kept both.mur)" '[1,1]' '... and what held the blocks'
ok '... which can be printed' memusageprint --holders both.mur
step
ask leak_check summary any >/dev/null
ask record second.mur
is "$(kept second.mur)" '[2,1]' 'the last two leak checks are kept'
is "$(lost second.mur)" '2560/75' '... and the last is printed'
if has_page "$MU_BUILD" && command -v node >/dev/null; then
	ask html now.html
	is "$(view now.html)" 'all definite=2560/75 called=4000/225 freed=2880/180' \
		'the page of now has the view'
	like "$(cat now.html)" '"holders":' '... and who holds it'
else
	skip 'no page, or no node' 2
fi
memusageprint --leak-check run.mur >report 2>/dev/null
is "$(leak_sums report | cut -d' ' -f1)" '2560/75' 'so has the recording of a run that goes on'

# ---- the end ------------------------------------------------------------------------------------

step
end_steps
is $? 0 'the program is unharmed'
is "$(kept run.mur)" '[2,1]' 'the recording of the run has all'
is "$(lost run.mur)" '2560/75' '... with the sums of then'
like "$(cat report.err)" '^memusageprint: process [0-9]+: this leak check was asked for .* after its start$' \
	'... and it is said when it was'
like "$(memusageprint --holders run.mur)" \
	'^The process was examined .* after its start, and not at its end\.$' '... for both'

begin --leak-check=full
ask leak_check summary any >/dev/null
kill -KILL "$program"
program=
end_steps
is "$(lost run.mur)" '4000/225' 'a program that is killed has the check that was asked for'
like "$(cat report.err)" 'no leak check was made, because it was killed by SIGKILL' \
	'... and it is said that there is none of its end'

begin --leak-check=full --holders
ask leak_check summary any >/dev/null
ask holders >/dev/null
step
step
end_steps
is "$(kept run.mur)" '[2,2]' 'a run that is examined at its end has each result once'
is "$(lost run.mur)" '800/25' '... and its last one is the report'
is "$(cat report.err)" '' '... without a word on the other'
memusageprint --holders run.mur >text
like "$(cat text)" '^The live heap is .* than .* after the start, when it was first examined:$' \
	'who holds it is compared with the time that was asked for'

# ---- another image ------------------------------------------------------------------------------

cat >again.c <<'EOF'
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	char *volatile block = malloc(1000), byte;

	block = NULL;
	if (write(STDOUT_FILENO, "ready\n", 6) != 6 || read(STDIN_FILENO, &byte, 1) != 1)
		return 0;
	execl(argv[0], argv[0], (char *)NULL);
	return argc;
}
EOF
compile "${CC:-cc}" -g -w -o again again.c
begin_steps memusage -q -o whole --record=run.mur ./again
program=$(pids again "$launcher" | head -1)
await_input
ask leak_check summary any >/dev/null
step
ask record later.mur
is "$(kept later.mur)" '[0,0]' 'a program that was executed meanwhile has no results'
end_steps
is "$(memusageprint --to=json run.mur | jq -c '.leak_checks | length')" 0 '... nor at its end'

# ---- the page that is served --------------------------------------------------------------------

if has_program memusageserve && has_page "$MU_BUILD" && command -v curl >/dev/null &&
	command -v node >/dev/null; then
	begin --serve=unix:mine.http
	at=unix:mine.http
	ask leak_check summary any >/dev/null
	ask holders >/dev/null
	get /
	is "$status" 200 'the page is served'
	is "$(view body)" 'all definite=4000/225' '... with the leak check'
	like "$out" '"holders":' '... and who holds it'
	end_steps
	is $? 0 'the program is unharmed'
else
	skip 'no memusageserve, page, curl or node' 4
fi
done_testing
