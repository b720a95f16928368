# browser.sh -- sourced after tap.sh by tests that look at pages in chromium: sets $chromium and
# $modules, the folder of playwright-core, which comes from npm, once, into the build folder.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
need node npm
chromium=$(command -v chromium || command -v chromium-browser) || skip_all 'no chromium'
modules=$MU_BUILD/browser
if ! cmp -s "$MU_SRC/tests/real/browser/package-lock.json" "$modules/.done"; then
	rm -rf "$modules" && mkdir -p "$modules"
	cp "$MU_SRC"/tests/real/browser/package*.json "$modules/"
	(cd "$modules" && timeout 120 npm ci --ignore-scripts --no-audit --no-fund --fetch-retries=1 \
		--fetch-timeout=20000) >npm.log 2>&1 || skip_all 'npm cannot fetch playwright-core'
	cp "$MU_SRC/tests/real/browser/package-lock.json" "$modules/.done"
fi

# tap_lines COMMAND...: turns its lines "pass TEXT", "fail TEXT" and "diag TEXT" into TAP
tap_lines() {
	timeout 600 "$@" >browser 2>&1
	is "$?" 0 "$(basename "$2") has run to its end"
	while read -r word text; do
		case $word in
		pass) pass "$text" ;;
		fail) fail "$text" ;;
		*) diag "$word $text" ;;
		esac
	done <browser
}
