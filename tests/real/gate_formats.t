#!/bin/sh
# gate_formats.t -- what --ci writes is what Microsoft's validator of SARIF and Prometheus' promtool take.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
need_bin memusage memusageprint budget

memusage -q --leak-check=full -o checks --record=run.mur "$WORKLOADS/budget" 200 3 >/dev/null
memusageprint --fail-if='heap peak > 100k' --fail-if='leaks > 0' --fail-if='rss peak > 1G' \
	--fail-if='mmap peak > 1' --ci=sarif:run.sarif --ci=openmetrics:run.prom run.mur >text
is $? 100 'a budget is broken'
if command -v promtool >promtool.path; then
	promtool check metrics <run.prom >checked 2>&1
	is "$?,$(cat checked)" 0, 'promtool has no complaint'
else
	skip 'no promtool here'
fi
if ! command -v npm >npm.path; then
	skip 'no npm here' 2
elif ! npm install --no-audit --no-fund --silent @microsoft/sarif-multitool@5.7.0 >npm.log 2>&1; then
	skip 'no registry answers npm' 2
else
	export DOTNET_SYSTEM_GLOBALIZATION_INVARIANT=1 # there may be no libicu
	# The script in .bin loses quotes.
	tool=node_modules/@microsoft/sarif-multitool-linux/Sarif.Multitool
	validate() {
		"$tool" validate "$1" --rule-kind 'Sarif;Ghas' --level 'Error;Warning' --kind Fail 2>&1
	}
	# There is no address of memusage to be told.
	is "$(validate run.sarif | grep -E 'warning|error' | grep -v 'SARIF2005.*informationUri')" '' \
		'the validator of SARIF, with the rules of GitHub, has no complaint'
	sed 's/"message":{"text":"heap[^}]*}/"message":{}/' run.sarif >wrong.sarif
	like "$(validate wrong.sarif)" 'error JSON1017: runs\[0\]\.results\[0\]\.message' \
		'... and knows a mistake'
fi
done_testing
