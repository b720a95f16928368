# view.sh -- sourced after tap.sh by tests that read the text of a page as chromium has drawn it; without
# playwright, which browser.sh needs to click.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
chromium=$(command -v chromium || command -v chromium-browser) || skip_all 'no chromium'

# view NAME: sets $out to the text of a view, and writes its DOM to the file dom
view() {
	timeout 120 "$chromium" --headless --no-sandbox --disable-gpu --virtual-time-budget=5000 \
		--user-data-dir="$PWD/browser" --dump-dom "file://$PWD/$1" >dom 2>browser.log
	out=$(sed -n '/<header/,/<\/main>/p' dom | sed 's/<[^>]*>/|/g')
}
