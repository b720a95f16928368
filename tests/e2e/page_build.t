#!/bin/sh
# page_build.t -- the HTML page is built where node and npm are; where it cannot be, the build goes on
# and says so, unless it was asked for; a release brings it along.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
script=$MU_SRC/scripts/page.sh
size() { stat -c %s "$1"; }

# A place without node and npm.
mkdir bare
for command in sh dirname mkdir cmp cat cp rm mv timeout env; do
	ln -s "$(command -v $command)" bare/
done
# A source tree without a page, as a clone has it: these sources may be a release's.
mkdir -p clone/scripts
cp "$script" clone/scripts/
run env PATH="$MU_TMP/bare" sh clone/scripts/page.sh auto one/template.html
is "$status $(size one/template.html)" '0 0' 'without node: an empty page, and no error'
like "$err" 'built without the HTML page.*no node' 'but a word'
run env PATH="$MU_TMP/bare" sh clone/scripts/page.sh yes two/template.html
is "$status" 1 'HTML=yes without node is an error'
run sh "$script" no three/template.html
is "$status $(size three/template.html) $err" '0 0 ' 'HTML=no: an empty page, and silence'

# As a release has it.
mkdir -p release/scripts
cp "$script" release/scripts/
echo 'a page @@MEMUSAGE-DATA@@' >release/page-template.html
run env PATH="$MU_TMP/bare" sh release/scripts/page.sh yes four/template.html
is "$status" 0 'a release needs neither node nor npm'
same four/template.html release/page-template.html 'its page is taken'

# Programs without the page.
unset MAKEFLAGS B T J V
if command -v make >/dev/null; then
	# A tree of the same sources, with what this build has compiled; make compiles what depends on
	# the page, or all if it was compiled otherwise.
	mkdir tree
	ln -s "$MU_SRC"/* "$MU_SRC"/.git tree/ 2>/dev/null
	b=${MU_BUILD#"$MU_SRC"/}
	case $b in
	/*) b=no ;;
	*)
		rm -f "tree/${b%%/*}"
		mkdir -p "tree/$b"
		(cd "$MU_BUILD" && cp -a gen obj flags ldflags members "$MU_TMP/tree/$b/") ;;
	esac
	no=$MU_TMP/tree/$b
	make -s -C tree B="$b" HTML=no WERROR= "$b/bin/memusage" "$b/bin/memusagestat" >log 2>&1
	is "$?" 0 'HTML=no builds' || diag "$(tail -n 5 log)"
	run "$no/bin/memusagestat" --html=page.html "$MU_SRC/tests/golden/massif/sites-all.out"
	is "$status" 1 'memusagestat then makes no page'
	like "$err" 'built without the HTML page.*make HTML=yes' 'and says why'
	mkdir -p "$no/lib" && ln -s "$MU_BUILD/lib/memusage" "$no/lib/memusage"
	run "$no/bin/memusage" --html=page.html sh -c 'echo ran'
	is "$status $out" '125 ' 'memusage does not even run the program'
	like "$err" 'built without the HTML page' 'and says why'
	nok 'there is no page' test -e page.html
else
	skip 'no make here' 6
fi

# A registry that is not there must not stop anybody.
if command -v npm >/dev/null && command -v node >/dev/null; then
	run env npm_config_registry=http://127.0.0.1:9/ npm_config_cache="$MU_TMP/cache" \
		sh "$script" auto five/template.html
	is "$status $(size five/template.html)" '0 0' 'without a registry: an empty page'
	like "$err" 'no registry answers npm' 'and the reason'
else
	skip 'no npm here' 2
fi
done_testing
