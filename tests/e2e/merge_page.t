#!/bin/sh
# merge_page.t -- memusagestat --html --merge: the page has the sums of all processes, and says of each
# place how they differ, as memusageprint --merge does.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
. "$MU_SRC/tests/lib/merged.sh"
need_bin memusage memusageprint memusagestat phases
need_page
need perl node
perl -MJSON::PP -e1 2>/dev/null || skip_all 'no JSON::PP for perl'
page() { perl "$MU_SRC/tests/lib/page.pl" "$@"; }
lists() { node "$MU_SRC/tests/lib/page_lists.mjs" "$MU_SRC" "$@"; }

# ---- how processes differ ----------------------------------------------------------------------

record_ranks
run memusagestat --html=all.html --merge r?.mur
is "$status" 0 'a page of eight recordings' || diag "$err"
is "$err" '' '... without a message'
peak_of() {
	memusageprint --to=json "$@" |
		perl -MJSON::PP -0777 -ne 'print decode_json($_)->{heap}{peak}'
}
is "$(page all.html totals.peak)" "$(peak_of --merge r?.mur)" 'its peak is that of the sum'
is "$(page all.html merge.processes)" 8 'it knows of all processes'
sum=0
for i in 0 1 2 3 4 5 6 7; do
	sum=$((sum + $(peak_of "r$i.mur")))
done
is "$(page all.html merge.peaks_sum)" $sum '... and adds up their own peaks'
for group in line function file object; do
	lists all.html spread-peak_bytes "$group" >spread
	is "$(grep -c . spread)" "$(lists all.html peak_bytes "$group" | grep -vc '^  ')" \
		"each $group has a spread"
done
lists all.html spread-peak_bytes function >spread
like "$(cat spread)" '^8 409600 413184 921600 1 hold_big 921600$' \
	'at a place: least, median, most, the outlier and what it has'
lists all.html spread-end_bytes function >spread
like "$(cat spread)" '^8 8192 8192 8192 0 hold_small$' 'at the end: all are equal'
is "$(page all.html growth.to.kind)" peak 'the page tells of no common end'
lists all.html spread-total_bytes function >spread
like "$(cat spread)" '^8 409600 413184 921600 1 hold_big 921600$' 'in all'
memusageprint --merge --processes --top r?.mur >text
like "$(cat text)" 'least 400 KiB, median 404 KiB, most 900 KiB; outlier: rank 5' \
	'the text says the same'

cat >list.pl <<'EOF2'
use JSON::PP;
local $/;
my ($json) = <STDIN> =~ m{<script id="data" type="application/json">(.*?)</script>}s;
my $m = decode_json($json)->{merge};
print join(' ', map { $_->{rank} } @{$m->{list}}), "\n";
print join(' ', map { $_->{outlier} ? 1 : 0 } @{$m->{list}}), "\n";
# The curve of a process reaches its peak, and that of none is higher.
for my $p (@{$m->{list}}) {
	my ($most) = sort { $b <=> $a } @{$p->{curve}};
	print 'curve of ', $p->{rank}, ": $most is not $p->{peak}\n" if $most != $p->{peak};
	print "points\n" if @{$p->{curve}} != 60;
}
my %name = @{$m->{names}};
print "$_ $name{$_}\n" for sort keys %name;
print join(' ', sort map { $_->{file} } @{$m->{list}}), "\n";
EOF2
is "$(perl list.pl <all.html)" "5 0 1 2 3 4 6 7
1 0 0 0 0 0 0 0
5 rank 5 on $(hostname | sed 's/\..*//' | cut -c1-23)
r0.mur r1.mur r2.mur r3.mur r4.mur r5.mur r6.mur r7.mur" \
	'the outlier is first, then ranks; each has its curve and file; the outlier has a name'

# ---- a tree of processes -----------------------------------------------------------------------

memusage -q --children=merge --html=tree.html "$WORKLOADS/phases" 1000 10 3 </dev/null >/dev/null
is "$(page tree.html merge.processes)" 4 'memusage --children=merge --html: all processes'
is "$(page tree.html merge.uncounted_forks)" 0 '... without what they have from their parent'
nok '... and no name of a nameless file' grep -q /proc/self/fd tree.html

# ---- pictures, files that cannot be read, words -------------------------------------------------

ok 'a flame graph' memusagestat --flame --merge -o all.svg r?.mur
like "$(cat all.svg)" 'hold_big' '... of all'
gzip -c r1.mur >zipped.mur.gz
head -c 3000 r2.mur >cut.mur
: >empty.mur
name=$(printf 'a b \377\033[31m.mur')
cp r3.mur "$name"
echo text >text.mur
run memusagestat --html=some.html --merge r0.mur zipped.mur.gz cut.mur empty.mur none.mur "$name" \
	text.mur
is "$status" 1 'files that cannot be read are an error'
is "$(page some.html merge.processes)" 3 '... but the others are shown'
is "$(page some.html merge.left_out)" 4 '... and how many there are not'
for file in cut empty none text; do
	like "$err" "$file\\.mur" "... $file.mur is named"
done
unlike "$err" 'zipped' 'a compressed recording is read'
run memusagestat --html=none.html --merge empty.mur none.mur
is "$status" 1 'nothing to merge is an error'
nok '... and makes no page' test -e none.html
cp r0.mur kept.mur
run memusagestat --html=kept.mur --merge r1.mur kept.mur
isnt "$status" 0 'a page is not written over a recording'
same kept.mur r0.mur '... which stays as it is'
run memusagestat --flame --merge r0.mur r1.mur
is "$status" 2 'a picture needs a name'
run memusagestat --html=x.html --merge - <r0.mur
is "$status" 2 'a pipe cannot be read twice'
run memusagestat --html=x.html --merge --pid=1 r0.mur
is "$status" 2 '--pid does not suit a merge'

# ---- one, and none -----------------------------------------------------------------------------

memusagestat --html=one.html --merge r0.mur
is "$(page one.html merge.processes)" 1 'a merge of one process'
memusagestat --html=plain.html r0.mur
nok 'a page without --merge has no such part' grep -q '"merge":' plain.html
done_testing
