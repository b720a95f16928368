#!/bin/sh
# speedscope.t -- speedscope itself, from npm, in a browser, opens our file and shows its profiles.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
need_bin memusage memusageprint
need npm tar base64
chromium=$(command -v chromium || command -v chromium-browser) || skip_all 'no chromium'
timeout 120 npm pack --silent speedscope@1.25.0 >npm.log 2>&1 || skip_all 'npm cannot fetch speedscope'
tar xzf speedscope-1.25.0.tgz || skip_all 'no speedscope'

memusage -q --record=run.mur "$WORKLOADS/phases" 1000 10 </dev/null >/dev/null
memusageprint --to=speedscope -o run.json run.mur
printf "speedscope.loadFileFromBase64('run.json','%s')" "$(base64 -w0 run.json)" >run.js
timeout 90 "$chromium" --headless --no-sandbox --disable-gpu --enable-unsafe-swiftshader --use-gl=angle \
	--use-angle=swiftshader --allow-file-access-from-files --virtual-time-budget=8000 --dump-dom \
	"file://$PWD/package/dist/release/index.html#localProfilePath=$PWD/run.js" >dom.html 2>log
like "$(cat dom.html)" 'live at the peak' 'it shows the first profile'
like "$(cat dom.html)" '\(?1/5|1.{0,3}/.{0,3}5' '... of five'
done_testing
