#!/bin/sh
# figures.t -- a figure is the same in the text, the page, the JSON and the pictures of a run, and
# the notes of the text are in the page and the JSON. docs/glossary.md defines the figures.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
need_bin memusage memusageprint memusagestat who threads massif_realloc broken_stacks pages ends
need_page
need perl node
perl -MJSON::PP -e1 2>/dev/null || skip_all 'no JSON::PP for perl'

# The figures of the page and of the JSON that are compared. Each is read once for all of them, since
# perl takes long for it: $file.page and $file.figures have a line NAME=VALUE for each.
page_names='totals.peak totals.bytes totals.end totals.calls totals.recorder sum:total_bytes
	run.duration run.ended run.pid memory.resident count:notes count:figures
	growth.from.kind growth.from.t growth.to.kind growth.to.t'
json_names='heap.peak heap.now heap_total call_count duration_ns memory.resident recorder_bytes ended
	growth.bytes growth.from growth.from_ns growth.to growth.to_ns
	sum:live_bytes sum:total_bytes sum:growth_bytes'
page_parse() { perl "$MU_SRC/tests/lib/page.pl" "$file.html" "$@"; }
# shellcheck disable=SC2086 # several names
page_table() { page_parse $page_names >values && printf '%s\n' $page_names | paste -d= - values >"$file.page"; }
# shellcheck disable=SC2086
json_table() {
	perl -MJSON::PP -0777 -e 'my $d = decode_json(<STDIN>);
		for my $name (@ARGV) {
			my $at = $d;
			if ($name =~ /^sum:(.*)/) {
				$at = 0;
				$at += $_->{$1} for @{$d->{sites}};
			} else {
				$at = $at->{$_} for split /\./, $name;
			}
			print "$name=", $at // "", "\n";
		}' $json_names <"$file.json" >"$file.figures"
}
# figure FILE NAME...: a line for each
figure() {
	table=$1
	shift
	for wanted; do
		found="$table has no $wanted"
		while IFS='=' read -r name value; do
			[ "$name" != "$wanted" ] || found=$value
		done <"$table"
		printf '%s\n' "$found"
	done
}
page() { figure "$file.page" "$@"; }
json() { figure "$file.figures" "$@"; }
# field NAME: of the first line of the summary
field() { sed -n "s/.*Memory usage summary:.* $1: \\([0-9]*\\).*/\\1/p" "$file.text"; }
# said PATTERN: the first match of a group in the text of memusage -v
said() { sed -n "s/^memusage:  *$1.*/\\1/p" "$file.text" | sed 1q; }
# human BYTES: as reports print them
human() { awk -v n="$1" 'BEGIN {
	if (n < 1024) { print n " bytes"; exit }
	for (u = 1; n >= (u == 1 ? 1024 : 1023.5) && u <= 4; u++) n /= 1024
	split("bytes KiB MiB GiB", name, " ")
	printf (n < 9.995 ? "%.2f" : n < 99.95 ? "%.1f" : "%.0f") " %s\n", n, name[u] }'; }
# texts SVG: its texts, one a line
texts() { grep -o '<text[^>]*>[^<]*' "$1" | sed 's/<[^>]*>//'; }

# agree WHAT VALUE VALUE
agree() { is "$3" "$2" "$file: $1"; }

# record NAME OPTION... -- PROGRAM...: its outputs are NAME.text, .html, .json and .mur
record() {
	file=$1
	shift
	memusage -v --record="$file.mur" --html="$file.html" "$@" >/dev/null 2>"$file.text"
	ok "$file: there is a recording" test -s "$file.mur"
	memusageprint --to=json -o "$file.json" "$file.mur"
	memusageprint --summary "$file.mur" >"$file.summary"
	ok "$file: its page can be read" page_table
	ok "$file: its JSON can be read" json_table
}

compare() {
	agree 'heap peak, text and page' "$(field 'heap peak')" "$(page totals.peak)"
	agree 'heap peak, text and JSON' "$(field 'heap peak')" "$(json heap.peak)"
	agree 'heap total, text and page' "$(field 'heap total')" "$(page totals.bytes)"
	agree 'heap total, text and JSON' "$(field 'heap total')" "$(json heap_total)"
	agree 'the first line of --summary' "$(grep -h '^.*Memory usage summary' "$file.text")" \
		"$(grep -h 'Memory usage summary' "$file.summary")"
	end=$(said '\([0-9]*\) bytes were live at the end')
	agree 'live at the end, text and page' "$end" "$(page totals.end)"
	agree 'live at the end, text and JSON' "$end" "$(json heap.now)"
	agree 'live at the end, its places' "$end" "$(json sum:live_bytes)"
	agree 'allocated in all, page and JSON' "$(page sum:total_bytes)" "$(json sum:total_bytes)"
	agree 'calls, page and JSON' "$(page totals.calls)" "$(json call_count)"
	agree 'duration, page and JSON' "$(page run.duration)" "$(json duration_ns)"
	agree 'memory, page and JSON' "$(page memory.resident)" "$(json memory.resident)"
	agree 'memory, text and page' "$(said '\([0-9.]* [KMG]iB\) of memory at most')" \
		"$(human "$(page memory.resident)")"
	recorder=$(said 'the recorder used \([0-9.]* [KMG]*iB\)')
	agree "the recorder's, text" "$recorder" "$(said "\\([0-9.]* [KMG]iB\\) .*memusage's own")"
	agree "the recorder's, page" "$recorder" "$(human "$(page totals.recorder)")"
	agree "the recorder's, JSON" "$(page totals.recorder)" "$(json recorder_bytes)"
	agree 'how it ended, page and JSON' "$(page run.ended)" "$(json ended)"
	agree 'how it ended, --summary' "$(page run.ended)" \
		"$(sed -n "s/^memusage: process $(page run.pid): //p" "$file.summary")"
	agree 'how it ended, text and page' "$(said 'the program ended: \(.*\)')" "$(page run.ended)"
}

# The notes of the text without -v; the page has those on threads and pauses in `figures`.
compare_notes() {
	sed -n '/^memusage: process [0-9]*: /d; s/^memusage: //p' "$file.summary" >notes.text
	: >notes.page
	for list in notes figures; do
		count=$(page "count:$list")
		# shellcheck disable=SC2046
		[ "$count" -eq 0 ] || page_parse $(seq -f "$list.%.0f" 0 $((count - 1))) >>notes.page
	done
	perl -MJSON::PP -0777 -e 'print map { "$_\n" } @{decode_json(<STDIN>)->{notes}}' <"$file.json" >notes.json
	is "$(grep -vxFf notes.page notes.text)" '' "$file: the page has the notes of the text"
	is "$(grep -v '^$' notes.json)" "$(cat notes.text)" "$file: the JSON has them"
}

# Pictures. The heap peak of one thread is exact.
compare_pictures() {
	peak=$(human "$(page totals.peak)")
	memusagestat --theme=light "$file.mur" curve.svg
	memusagestat --bands "$file.mur" bands.svg
	memusagestat --flame "$file.mur" flame.svg
	memusagestat --flame=total "$file.mur" total.svg
	like "$(texts curve.svg)" "peak $(svg "$peak") at" "$file: the curve has the peak"
	like "$(texts bands.svg)" "heap peak $(svg "$peak")[,;]" "$file: the bands have it"
	like "$(texts flame.svg)" "$(svg "$peak") live at the peak" "$file: the flame graph has it"
	like "$(texts total.svg)" "$(svg "$(human "$(page sum:total_bytes)")") allocated in total" \
		"$file: that of all blocks has the page's sum"
	like "$(memusageprint --plot "$file.mur")" "heap peak: $(svg "$peak") at" "$file: --plot has it"
	like "$(memusageprint --top "$file.mur")" "of the $(svg "$peak") live when" "$file: --top has it"
	memusageprint --to=massif -o massif "$file.mur"
	is "$(sed -n 's/^mem_heap_B=//p' massif | sort -n | tail -n 1)" "$(page totals.peak)" \
		"$file: the massif.out has it"
}
svg() { printf '%s' "$1" | sed 's/\./\\./g; s/ bytes/ B(ytes)?|&/; s/^\(.*\)|\(.*\)$/\1/; s/ B(ytes)?/ (B|bytes)/'; }

# text_list OPTION GROUP: the places of a list of the text and the lines of functions, as the test's
# page_lists.mjs prints them; a name is without its path.
text_list() {
	list=1
	[ "$1" != --growth ] || list=3
	memusageprint "$1" --top=500 --group="$2" "$file.mur" >lists.text
	[ "$1" != --leaks ] || memusageprint --leaks=500 --group="$2" "$file.mur" >lists.text
	awk -v n=$list '/^ *bytes / { list++; next } list == n && NF && !/^ *called by|that shrank$/' lists.text |
		sed -E 's/^ *(-?[0-9.]+ [KMG]?i?B(ytes)?) +-?[0-9.]+% +-?[0-9,]+  /\1 /; s/^([0-9.]+ B)ytes/\1/
			s/^([^ ]+ [^ ]+)   /  \1 /; s,(^| )/[^ ]*/,\1,'
}
# page_list METRIC GROUP
page_list() { node "$MU_SRC/tests/lib/page_lists.mjs" "$MU_SRC" "$file.html" "$1" "$2"; }

# Entries of equal size have no order.
compare_lists() {
	for group in function line file object; do
		text_list --top $group | sort >list.text
		page_list peak_bytes $group | sort >list.page
		num "$(wc -l <list.text)" -ge 1 "$file: --top --group=$group lists places"
		is "$(cat list.page)" "$(cat list.text)" "$file: the page lists them"
	done
	is "$(page_list end_bytes function | sort)" "$(text_list --leaks function | sort)" \
		"$file: the page lists what --leaks does"
	compare_growth
}

# The list, and its sum with what shrank.
compare_growth() {
	memusageprint --growth "$file.mur" >growth.text
	page_list growth function | sort >growth.page
	is "$(cat growth.page)" "$(text_list --growth function | sort)" \
		"$file: the page lists what --growth does"
	change=$(json growth.bytes)
	agree 'growth, JSON and its sites' "$change" "$(json sum:growth_bytes)"
	like "$(sed -n 's/^In all, the heap //p' growth.text)" \
		"^$([ "$change" -ge 0 ] && echo grew || echo shrank) by $(svg "$(human "${change#-}")")\.$" \
		"$file: growth, text and JSON"
	agree 'growth, page and JSON' "$(page growth.from.kind growth.from.t growth.to.kind growth.to.t)" \
		"$(json growth.from growth.from_ns growth.to growth.to_ns)"
}

record who "$WORKLOADS/who"
compare
compare_lists
compare_notes
compare_pictures

# A realloc counts with its growth in "heap total", and as a block in "allocated in all".
record reallocs "$WORKLOADS/massif_realloc"
compare
compare_pictures
num "$(page sum:total_bytes)" -gt "$(page totals.bytes)" 'a realloc is a block of its whole size'

record threads "$WORKLOADS/threads" churn 20
compare
compare_notes
like "$(cat notes.page)" '^[0-9]+ threads: heap peak is exact to within' 'the bound of the peak is told'

record broken "$WORKLOADS/broken_stacks"
compare
compare_notes
like "$(cat notes.page)" '^call stacks ' 'there are cut stacks'

record mapped -m "$WORKLOADS/pages"
compare
record mappings --pages-as-heap=yes "$WORKLOADS/pages"
compare

record killed perl -e 'my @a = map { "x" x 5000 } 1 .. 100; select(undef, undef, undef, 0.2); kill 9, $$'
compare
compare_notes
like "$(page run.ended)" 'SIGKILL' 'the signal is in the page'

if command -v python3 >/dev/null; then
	record python python3 -c 'x = [bytearray(5000) for i in range(1000)]'
	compare
	compare_notes
	compare_pictures
	compare_lists
fi

done_testing
