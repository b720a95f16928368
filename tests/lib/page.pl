#!/usr/bin/perl
# page.pl -- what an HTML page of memusagestat says: page.pl FILE NAME...
#
# Prints for each NAME a line: a path into the page's JSON (totals.peak, run.command), sum:METRIC
# (of all sites), at:N (bytes of snapshot N's places, '-' if it has none), root:N (those of no
# place), count:PATH (elements), or "place FUNCTION METRIC" as place:FUNCTION:METRIC, the sum of sites whose innermost function that is.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
use strict;
use warnings;
use JSON::PP;

my ($file, @names) = @ARGV;
open my $in, '<:raw', $file or die "$file: $!\n";
my $html = do { local $/; <$in> };
$html =~ m{<script id="data" type="application/json">(.*?)</script>}s or die "$file: no data\n";
my $data = decode_json($1);

sub find {
	my ($at) = ($data);
	for my $key (split /\./, $_[0]) { $at = ref $at eq 'ARRAY' ? $at->[$key] : $at->{$key} }
	return $at;
}

# The sum of each node, of one snapshot.
sub snapshot {
	my ($number, $is_of_root) = @_;
	my (%bytes);
	return '-' unless $data->{snapshots}[$number]{values};
	for my $s (@{$data->{snapshots}}[0 .. $number]) {
		my ($node, @v) = (0, @{$s->{values} // []});
		while (my ($step, $bytes, $blocks) = splice @v, 0, 3) {
			$node += $step;
			$bytes{$node} = $bytes;
		}
	}
	return $bytes{0} // 0 if $is_of_root;
	my $sum = 0;
	$sum += $_ for values %bytes;
	return $sum;
}

sub of_place {
	my ($function, $metric) = @_;
	my ($node, $sum) = (0, 0);
	for my $i (0 .. $#{$data->{sites}{node}}) {
		$node += $data->{sites}{node}[$i];
		my $place = $node && $data->{tree}{place}[$node - 1];
		my $name = $place ? $data->{strings}[$data->{places}[5 * ($place - 1)] - 1] : '';
		$sum += $data->{sites}{$metric}[$i] if $name eq $function;
	}
	return $sum;
}

binmode STDOUT, ':utf8';
for (@names) {
	my $result;
	if (/^sum:(.*)/) {
		$result = 0;
		$result += $_ for @{$data->{sites}{$1} // []};
	} elsif (/^at:(.*)/) {
		$result = snapshot($1);
	} elsif (/^root:(.*)/) {
		$result = snapshot($1, 1);
	} elsif (/^count:(.*)/) {
		$result = @{find($1) // []};
	} elsif (/^place:(.*):(.*)/) {
		$result = of_place($1, $2);
	} else {
		$result = find($_);
	}
	print $result // '', "\n";
}
