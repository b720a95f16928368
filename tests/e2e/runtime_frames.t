#!/bin/sh
# runtime_frames.t -- functions of run-times are hidden by one rule: lists, trees, flame graphs, the
# page and conversions say of one run which function held most, also for files of other tools'
# formats; totals are the same with and without them.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
need_bin memusage memusageprint server
need_libdw
runtime='std::|__invoke|start_thread|clone3?|_M_|new_allocator|basic_string'

memusage -q --record=r.mur --threshold=0 --peak-inaccuracy=0 --massif-out-file=r.ms --dhat-out-file=r.dhat --massif \
	--dhat --detailed-freq=1 "$WORKLOADS/server" >truth
num "$(wc -l <truth)" -eq 3 'the workload tells the truth'
ok 'a recording' test -s r.mur

# held FUNCTION: what the workload says, as "BYTES BLOCKS"
held() { sed -n "s/^held $1 //p" truth; }
bytes=$(held session_cache::lookup)
blocks=${bytes#* } bytes=${bytes% *}

# ---- conversions, whose figures are exact -------------------------------------------------------

# by_function FILE: "BYTES FUNCTION" of the innermost functions of folded stacks, largest first
by_function() {
	sed 's/^.*;//; s/ \([0-9]*\)$/\t\1/; s/(.*)\t/\t/' "$1" |
		awk -F '\t' '{ sum[$1] += $2 } END { for (f in sum) print sum[f], f }' | sort -rn
}
memusageprint --to=folded -o whole.folded r.mur
memusageprint --to=folded --runtime-frames=show -o shown.folded r.mur
memusageprint --to=folded --runtime-frames=hide -o hidden.folded r.mur
same shown.folded whole.folded 'folded stacks are complete by default'
like "$(cat whole.folded)" 'std::thread.*std::' 'run-times are in them'
is "$(by_function hidden.folded | head -n 1)" "$bytes session_cache::lookup" \
	'--runtime-frames=hide: the function that held most, to the byte'
unlike "$(grep session_cache::lookup hidden.folded)" '__invoke|start_thread|_M_|allocate' \
	'... and no run-time around it'
sum() { awk '{ sum += $NF } END { print sum }' "$1"; }
is "$(sum hidden.folded)" "$(sum whole.folded)" '... with the same total'
for name in json pprof callgrind massif dhat; do
	memusageprint --to=$name -o default r.mur
	memusageprint --to=$name --runtime-frames=show -o shown r.mur
	ok "--to=$name --runtime-frames=hide" \
		memusageprint --to=$name --runtime-frames=hide -o hidden r.mur
	# A massif.out names the options.
	sed -i '/^desc:/d' default shown hidden
	same shown default '... is not the default'
	nok '... and changes something' cmp -s hidden default
done
memusageprint --threshold=0 --to=massif -o again.ms r.mur
is "$(sed '/^desc:/d' again.ms | md5sum)" "$(sed '/^desc:/d' r.ms | md5sum)" \
	'the massif.out of the run is complete, too'

# ---- texts -------------------------------------------------------------------------------------

# headline FILE: "FUNCTION PERCENT"
headline() {
	sed -n 's/^\([^ ].*\) allocated \([0-9.]*\)% of the .*/\1 \2/p
		s/^[0-9.]* [KM]iB.*: \([0-9.]*\)% by \(.*\)$/\2 \1/p' "$1" | head -n 1
}
total=$(sum whole.folded)
percent=$(awk "BEGIN { printf \"%.1f\", 100 * $bytes / $total }")
for file in r.mur r.ms r.dhat; do
	for report in top tree; do
		memusageprint --$report "$file" | sed '/of memory at most/,$d' >out
		is "$(headline out)" "session_cache::lookup $percent" "--$report of $file: who held most"
		unlike "$(cat out)" "$runtime" '... without run-times'
		memusageprint --runtime-frames=show --$report "$file" >out
		like "$(cat out)" 'std::|_M_' '... but with --runtime-frames=show'
		is "$(headline out | grep -c session_cache)" 0 '... where they have the memory'
	done
	memusageprint --leaks "$file" >out
	like "$(headline out)" '^session_cache::lookup ' "--leaks of $file"
done
memusageprint --top r.mur >out
rows=$(grep -c '    server.cc:[0-9]*$' out)
num "$rows" -ge 3 'its lines are below it'
like "$(cat out)" "^ *[0-9.]+ KiB +[0-9.]+% +$blocks  session_cache::lookup\$" 'blocks are those of the run'
memusageprint --top --group=line r.mur >out
like "$(cat out)" 'session_cache::lookup \(server.cc:[0-9]+\)$' '--group=line has them apart'
memusageprint --plot r.mur >out
like "$(cat out)" "^ *$percent % .* session_cache::lookup\$" '--plot'
memusageprint --plot r.ms >out
like "$(cat out)" "^ *$percent % .* session_cache::lookup\$" '--plot of the massif.out'
memusage -q --top "$WORKLOADS/server" 2>out >/dev/null
is "$(headline out)" "session_cache::lookup $percent" 'memusage --top'
memusage -q --runtime-frames=show --top "$WORKLOADS/server" 2>out >/dev/null
like "$(cat out)" 'start_thread' 'memusage --runtime-frames=show'
memusageprint --top --grep=start_thread r.mur >out
like "$(headline out)" '^session_cache::lookup ' '--grep finds what is hidden'

# ---- pictures and the page ---------------------------------------------------------------------

if command -v memusagestat >/dev/null; then
	for file in r.mur r.ms r.dhat; do
		memusagestat --flame "$file" flame.svg
		like "$(cat flame.svg)" "session_cache::lookup \([^:]*server.cc:[0-9]+\): [0-9]" \
			"--flame of $file"
		unlike "$(grep -v 'font' flame.svg)" 'start_thread|std::thread|_M_invoke' \
			'... without run-times'
		memusagestat --flame --runtime-frames=show "$file" flame.svg
		like "$(cat flame.svg)" 'std::|_M_invoke' '... but with --runtime-frames=show'
	done
	# Bands are as large as their average over time: by milliseconds nearly all of this run may be at its end.
	memusage -q --record=bytes.mur --massif-out-file=bytes.ms --massif --time-unit=B --detailed-freq=1 \
		"$WORKLOADS/server" >/dev/null
	for file in bytes.mur bytes.ms; do
		memusagestat --bands "$file" bands.svg
		like "$(cat bands.svg)" 'session_cache::lookup' "--bands of $file"
		unlike "$(cat bands.svg)" 'new_allocator|_M_construct|std::' '... without run-times'
	done
else
	skip 'no memusagestat here'
fi

# holder FILE: "BYTES FUNCTION" that held most, by the flags of the page's places
holder() {
	perl -MJSON::PP -0777 -ne '
		my ($text) = /<script[^>]*id="?data"?[^>]*>(.*?)<\/script>/s or exit;
		my $d = decode_json($text);
		my ($tree, $sites) = @$d{qw(tree sites)};
		my (@up, $site, %sum);
		$up[$_ + 1] = $_ + 1 - $tree->{parent}[$_] for 0 .. $#{$tree->{parent}};
		for my $i (0 .. $#{$sites->{node}}) {
			$site += $sites->{node}[$i];
			my ($at, $agent, $own) = ($site, 0, 0);
			for (; $at > 0 && !$own; $at = $up[$at]) {
				my $flags = $d->{places}[5 * $tree->{place}[$at - 1] - 1];
				$own = $at unless $flags & 2;
				$agent ||= $at if $flags & 4;
			}
			my $place = $tree->{place}[($own || $agent || $site) - 1];
			my $name = $d->{strings}[$d->{places}[5 * $place - 5] - 1];
			$sum{$name =~ s/\(.*//sr} += $sites->{peak_bytes}[$i];
		}
		my ($most) = sort { $sum{$b} <=> $sum{$a} } keys %sum;
		print "$sum{$most} $most\n"' "$1"
}
if memusagestat --html=page.html r.mur 2>/dev/null && perl -MJSON::PP -e 1 2>/dev/null; then
	is "$(holder page.html)" "$bytes session_cache::lookup" 'the page says the same'
	memusagestat --html=page.html r.ms
	is "$(holder page.html)" "$bytes session_cache::lookup" '... of the massif.out'
	memusagestat --html=page.html r.dhat
	is "$(holder page.html)" "$bytes session_cache::lookup" '... and of the profile of DHAT'
else
	skip 'no page, or no JSON::PP'
fi

# ---- Python ------------------------------------------------------------------------------------

if [ -x /usr/bin/python3 ]; then
	memusage -q --record=py.mur /usr/bin/python3 -c 'x = ["a" * (i % 99) for i in range(9999)]'
	memusageprint --top py.mur | sed '/in a function and all/,$d' >out
	like "$(cat out)" ' allocated [0-9.]+% of the ' 'Python'
	unlike "$(cat out)" '_PyEval_EvalFrameDefault|PyObject_Malloc|_PyObject_GC_|libc\.so' \
		'... has neither its loop nor its allocators'

	# The script makes 20,000 tuples, each of 56 bytes with the header for the garbage collector.
	export PYTHONMALLOC=malloc
	memusage -q --record=py.mur --massif-out-file=py.ms --massif --detailed-freq=1 --threshold=0 \
		/usr/bin/python3 -c 'x = None
for i in range(20000): x = (i, x)'
	unset PYTHONMALLOC
	made='^_?PyTuple_[A-Za-z]* '
	# Debian's 3.9 and 3.14 have that in a function for which no symbol is left.
	/usr/bin/python3 -c 'import sys; sys.exit(sys.version_info[:2] not in ((3, 9), (3, 14)))' &&
		made="^(_?PyTuple_[A-Za-z]*|0x[0-9a-f]+) "
	for file in py.mur py.ms; do
		memusageprint --top $file >out
		like "$(headline out)" "$made" "$file: the function that a script called stands for it"
		if memusagestat --html=page.html $file 2>/dev/null &&
			perl -MJSON::PP -e 1 2>/dev/null; then
			like "$(holder page.html | sed 's/^[0-9]* //') " "$made" '... in the page, too'
			num "$(holder page.html | sed 's/ .*//')" -ge 1120000 '... and its memory'
		else
			skip 'no page, or no JSON::PP' 2
		fi
	done
else
	skip 'no python3 here'
fi
# ---- functions that have no linkage name -------------------------------------------------------
# Inlined, they are known by the scopes around them only.
cat >local.cc <<'END'
#include <cstdlib>
namespace {
struct Cache {
	__attribute__((always_inline)) inline void *fill(int n) { return malloc(n); }
};
}
static volatile int one = 1; static void *volatile kept[3]; // or compilers leave the calls out
int main()
{
	Cache cache;
	auto first = [&](int n) __attribute__((always_inline)) { return cache.fill(1000 * n); };
	auto second = [&](int n) __attribute__((always_inline)) { return malloc(30000 * n); };
	auto outer = [&](int n) __attribute__((always_inline)) {
		auto inner = [&](int k) __attribute__((always_inline)) { return malloc(500 * k); };
		return inner(n);
	};
	kept[0] = first(one);
	kept[1] = second(one);
	kept[2] = outer(one);
	return !kept[0] + !kept[1] + !kept[2];
}
END
if compiled "${CXX:-g++}" -std=c++14 -O1 -g -o local local.cc; then
	memusage -q --record=local.mur ./local
	memusageprint --top --group=line local.mur >local.top
	# clang 21 counts lambdas of a function as main::$_0.
	for name in '29.3 KiB|main::(\{lambda#2\}|\$_1)::operator\(\) \(local.cc:12\)' \
		'1000 B|\(anonymous namespace\)::Cache::fill \(local.cc:4\)' \
		'500 B|main::(\{lambda#3\}|\$_2)::operator\(\)::\{lambda#1\}::operator\(\) \(local.cc:14\)'; do
		like "$(cat local.top)" "^ *${name%%|*} +[0-9.]+% +1  ${name#*|}" \
			"an inlined function: ${name#*|}"
	done
else
	skip "no C++ compiler" 2
fi

done_testing
