# objects.pl -- compare the modules of a recording with what the kernel had mapped.
#
#	objects.pl RECORDING.json MAPS
#
# Prints a line per module that is not as the kernel says: path, first and last address. Of a path
# that the kernel writes in its own way only the addresses are compared.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
use strict;
use warnings;
use JSON::PP;

my ($json, $maps) = @ARGV;
my (%start, %end, @order);

open my $in, '<', $maps or die "$maps: $!\n";
while (<$in>) {
	my ($from, $to, $path) = /^([0-9a-f]+)-([0-9a-f]+) \S+ \S+ \S+ \S+\s*(.*)$/ or die "line: $_";
	no warnings 'portable';
	push @order, [hex $from, hex $to, $path];
}
close $in;

local $/;
open my $file, '<', $json or die "$json: $!\n";
my $modules = decode_json(<$file>)->{modules};
my $count = 0;
for my $m (@$modules) {
	no warnings 'portable';
	my ($start, $end) = (hex $m->{start}, hex $m->{end});
	my @own = grep { $_->[0] < $end && $_->[1] > $start } @order;
	my $what = "$m->{path} $m->{start}-$m->{end}";

	$count++;
	print "$what: nothing is mapped there\n" and next unless @own;
	print "$what: begins elsewhere\n" if $own[0][0] != $start;
	# The last page may be shared with nothing, but the object ends inside it.
	print "$what: ends elsewhere\n" if $own[-1][1] < $end || $own[-1][0] >= $end;
	my %other = map { $_->[2] => 1 } grep { $_->[2] ne '' && $_->[2] !~ /^\[/ } @own;
	print "$what: lies in several files\n" if keys %other > 1;
	my ($path) = keys %other;
	next if $path =~ /\\/ || $m->{path} =~ /\n/;
	print "$what: the kernel says $path\n" if $path ne $m->{path} && $path ne "$m->{path} (deleted)";
}
print "$count modules\n";
