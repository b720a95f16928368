#!/bin/sh
# dhat_firefox.t -- our profiles are what the Firefox Profiler's importer of DHAT's files takes: all
# that it reads is there, and it tells every frame's address, function, file and line.
#
# Its rules: "dhatFileVersion" is the number 2; "cmd", "pid", "ftbl" and "pps" are there, and each
# point has "tb", "mb", "gb", "eb" and "fs", whose numbers are of frames; a frame that is not
# "0xADDRESS: FUNCTION (FILE[:LINE[:COLUMN]])", with or without "in " before the file, is shown as
# it is, without a file. They are those of its attemptToConvertDhat(),
# src/profile-logic/import/dhat.ts of commit 0d66fdef2dab.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
need perl
need_bin memusage memusageprint
perl -MJSON::PP -e 1 2>/dev/null || skip_all 'no JSON::PP here'

cat >import.pl <<'END'
use strict;
use warnings;
use JSON::PP;
my $d = JSON::PP->new->utf8->decode(do { local (@ARGV, $/) = @ARGV; <> });
die "version\n" unless $d->{dhatFileVersion} eq '2';
exists $d->{$_} or die "no $_\n" for qw(cmd pid ftbl pps);
die "pid\n" unless $d->{pid} =~ /^[0-9]+$/;
my ($known, $other, %sum) = (0, 0);
for my $text (@{ $d->{ftbl} }) {
	next if $text eq '[root]';
	if ($text =~ /^0x([0-9a-f]+): (.+) \((?:in )?(.+?)(?::(\d+))?(?::(\d+))?\)$/i) {
		$known++;
		die "function $2 of $text\n" if $2 =~ /\((?:in )?[^()]*:\d+\)$/;
	} else {
		$other++;
		die "frame $text\n" unless $text =~ /^0x[0-9A-F]+: \?\?\?$/;
	}
}
for my $point (@{ $d->{pps} }) {
	for (qw(tb mb gb eb)) {
		defined $point->{$_} && $point->{$_} =~ /^[0-9]+$/ or die "no $_\n";
		$sum{$_} += $point->{$_};
	}
	$_ < @{ $d->{ftbl} } or die "frame $_\n" for @{ $point->{fs} };
}
print "frames ", $known > 0 ? "known" : "unknown", ", total $sum{tb}, peak $sum{gb}, end $sum{eb}\n";
END

# imported NAME OPTION... PROGRAM: the importer's sums are the summary's
imported() {
	name=$1
	shift
	rm -f ours.json
	memusage -o report --dhat-out-file=ours.json "$@" >/dev/null 2>&1
	want=$(sed -n 's/,//g; s/^==.*Total: *\([0-9]*\) bytes.*/frames known, total \1/p
		s/^==.*At t-gmax: *\([0-9]*\) bytes.*/, peak \1/p
		s/^==.*At t-end: *\([0-9]*\) bytes.*/, end \1/p' report | tr -d '\n')
	like "$want" 'total [1-9].*peak.*end' "$name: there is a summary"
	is "$(perl import.pl ours.json 2>&1)" "$want" "$name: imported, with its sums"
}

imported C "$WORKLOADS/dhat_rules"
imported 'C++, templates and lambdas' "$WORKLOADS/names"
imported 'without debug information' ls -l /usr/bin
imported 'times in bytes' --time-unit=B "$WORKLOADS/threads" churn
if has_emulator; then
	imported emulated --accesses=emulate --time-unit=i "$WORKLOADS/accesses" 2
else
	skip "$why" 2
fi
done_testing
