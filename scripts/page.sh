#!/bin/sh
# page.sh -- builds the template of the HTML page from page/, or gives the reason why not.
#
#	scripts/page.sh auto|yes|no OUTPUT
#
# A release contains it as page-template.html. Otherwise npm fetches the libraries of
# page/package-lock.json, once, into the folder of OUTPUT, and esbuild bundles the page. Without
# node, npm or the network, OUTPUT is an empty file, and memusage is built without the page ("yes"
# makes that an error). Any other failure is an error. No step waits for a network that does not
# answer: npm has 120 seconds in all.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
set -eu
mode=$1 output=$2
source=$(cd "$(dirname "$0")/.." && pwd)
mkdir -p "$(dirname "$output")"
folder=$(cd "$(dirname "$output")" && pwd)

# without WHY: builds without the page; tests read the reason.
without() {
	: >"$output"
	echo "$1" >"$folder/left-out"
	exit 0
}
# give_up WHY: the same with a message, or an error if the page was required.
give_up() {
	if [ "$mode" = yes ]; then
		echo "page.sh: cannot build the HTML page: $1" >&2
		exit 1
	fi
	echo "built without the HTML page (--html): $1 (HTML=no silences this line)" >&2
	without "$1"
}

# is_unreachable STATUS: true if npm was stopped after its time, or reports that no server answers.
is_unreachable() {
	[ "$1" -eq 124 ] || grep -qE \
		'error network|code (E(CONN|NETUN|HOSTUN|AI_AGAIN|NOTFOUND|TIMEDOUT|403|407|5)|ERR_SOCKET|FETCH_)' \
		"$folder/npm.log"
}

rm -f "$folder/left-out"
[ "$mode" != no ] || without 'HTML=no'
if [ -s "$source/page-template.html" ]; then
	cp "$source/page-template.html" "$output"
	exit 0
fi
command -v node >/dev/null 2>&1 || give_up 'there is no node'
node -e 'process.exit(Number(process.versions.node.split(".")[0]) >= 18 ? 0 : 1)' ||
	give_up 'node is older than version 18'

# The libraries are fetched again only when their list changes.
modules=$folder/npm
if ! cmp -s "$source/page/package-lock.json" "$modules/.done"; then
	command -v npm >/dev/null 2>&1 || give_up 'there is no npm'
	rm -rf "$modules"
	mkdir -p "$modules"
	cp "$source/page/package.json" "$source/page/package-lock.json" "$modules/"
	# The fetched packages run no scripts.
	(cd "$modules" && timeout 120 npm ci --ignore-scripts --no-audit --no-fund --loglevel=error \
		--fetch-retries=1 --fetch-retry-mintimeout=500 --fetch-retry-maxtimeout=1000 \
		--fetch-timeout=20000) >"$folder/npm.log" 2>&1 </dev/null || {
		is_unreachable $? && give_up "no registry answers npm (see $folder/npm.log)"
		code=$(sed -n 's/^npm.* code \([A-Z0-9_]*\)$/ with \1/p' "$folder/npm.log" | head -n 1)
		give_up "npm failed$code (see $folder/npm.log)"
	}
	cp "$source/page/package-lock.json" "$modules/.done"
fi

# Everything is there, so a failure of the bundler is an error.
NODE_PATH=$modules/node_modules node "$source/page/build.mjs" "$modules" "$output.new" || {
	echo "page.sh: the bundler failed (HTML=no builds without the page)" >&2
	exit 1
}
mv "$output.new" "$output"
