#!/bin/sh
# names_ahead.t -- names for the reports at the end are looked up while the program runs, by a
# process that gives way to it, ends with it, and is not started where it would be of no use.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
need_bin memusage memusageprint heap

export XDG_CACHE_HOME="$MU_TMP/cache"
names() { find cache -name '*.names' 2>/dev/null | grep -q .; }
ended() { ! kill -0 "$1" 2>/dev/null; }

# A program that allocates, and then does what the test says, or ends with the test's directory. Its
# file is old enough for its names to be kept.
cp "$WORKLOADS/heap" program
cat >waits <<'EOF'
#!/bin/sh
./program >/dev/null
until test -e go || test ! -e waits; do sleep 0.05; done
EOF
chmod +x waits
sleep 0.3

memusage --top ./waits >out 2>err &
memusage=$!
ok 'names are in the cache while the program runs' until_true names
nok '... which has not ended' ended $memusage
touch go
wait $memusage
is $? 0 'the program ends as it does'
like "$(cat out err)" 'allocated [0-9.]+% of the' '... and the report is there'
rm -rf cache

# ---- when it is started

# A memusageprint that says what it is asked, before it does it, or something else.
mkdir -p bin lib
cp "$MU_BUILD/bin/memusage" bin
ln -s "$MU_BUILD/lib/memusage" lib/memusage
cat >bin/memusageprint <<EOF
#!/bin/sh
echo "\$*" >>"$MU_TMP/asked"
case \$1 in
--names-ahead) . "$MU_TMP/helper" ;;
esac
exec "$MU_BUILD/bin/memusageprint" "\$@"
EOF
chmod +x bin/memusageprint
: >helper
asked() {
	: >>asked
	sed -n '/--names-ahead/p' asked | wc -l
}
was_asked() { [ "$(asked)" -gt 0 ]; }
# short OPTION...: how often names are looked up while a program of a second runs
short() {
	rm -f asked
	bin/memusage "$@" -o report sh -c './program; sleep 1' >/dev/null 2>&1
	asked
}
# asking OPTION...: how often, while a program runs until that has begun and a second more
asking() {
	rm -f asked
	bin/memusage "$@" -o report sh -c './program; i=0
		until test -s asked || [ $((i += 1)) -gt 600 ]; do sleep 0.1; done
		sleep 1' >/dev/null 2>&1
	asked
}
num "$(asking --top)" -gt 0 '--top looks names up while the program runs'
like "$(cat asked)" '^--names-ahead -- /proc/self/fd/[0-9]+$' '... of the recording that it writes'
num "$(short --top)" -le 8 '... a few times'
like "$(asking --massif --read-inline-info=no >/dev/null; cat asked)" \
	'^--names-ahead --read-inline-info=no -- ' 'options that change names are passed on'
is "$(short --top --no-names-cache)" 0 '--no-names-cache does not'
is "$(short --record=r.mur)" 0 '--record alone does not, as it needs no names'
is "$(short)" 0 'nor does a plain run'

# A busy machine may take a tenth of a second to run it, but not each time.
least=9 runs=0
while [ $((runs += 1)) -le 8 ]; do
	rm -f asked
	bin/memusage --top -o report ./program >/dev/null 2>&1
	[ "$(asked)" -lt "$least" ] && least=$(asked)
done
is "$least" 0 'a program that ends at once has none looked up'

# ---- what becomes of it

echo 'exit 1' >helper
is "$(asking --top)" 1 'a helper that has no cache is not started again'
echo "echo \$\$ >'$MU_TMP/pid'; exec sleep 1000" >helper
rm -f asked go
bin/memusage --top ./waits >out 2>&1 &
memusage=$!
ok 'a helper that takes too long' until_true was_asked
ok '... is there' until_true test -s pid
touch go
wait $memusage
is $? 0 '... does not keep memusage from its end'
ok '... and ends, too' until_true ended "$(cat pid)"
like "$(cat out)" 'allocated [0-9.]+% of the' '... the report is there'

rm -f asked go pid
bin/memusage --top ./waits >out 2>&1 &
memusage=$!
until_true test -s pid
kill -9 $memusage "$(pids memusage-collec $memusage)" 2>/dev/null
ok 'it ends when memusage is killed' until_true ended "$(cat pid)"
touch go
wait
done_testing
