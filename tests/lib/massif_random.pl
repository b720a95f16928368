#!/usr/bin/perl
# massif_random.pl -- writes a random massif.out, the same one for the same seed everywhere.
#
#	perl tests/lib/massif_random.pl SEED >massif.out
#
# It is one that ms_print accepts, but stranger than any that Valgrind writes: trees of any
# shape, totals of zero and of 64 bits, times that stand still or go back, names of every byte,
# comments and blank lines anywhere, wrong indentation, numbers of snapshots that lie.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
use strict;
use warnings;
use integer;

my $state = 88172645463325252 ^ ($ARGV[0] + 1) * 2654435761;

# A whole number below N: xorshift64, because perl's rand differs between machines.
sub below {
	my ($n) = @_;
	$state ^= $state << 13;
	$state ^= ($state >> 7) & ((1 << 57) - 1);
	$state ^= $state << 17;
	return (($state >> 1) & ((1 << 62) - 1)) % $n;
}
sub one_of { return $_[below(scalar @_)] }
sub chance { return below(100) < $_[0] }

# Numbers of every length up to BITS, often round ones.
sub number {
	my ($bits) = @_;
	my $n = below(1 << (1 + below($bits)));
	return chance(20) ? $n / 1000 * 1000 : $n;
}

# What ms_print divides is exact in doubles only up to 2^53; beyond, columns may still agree.
my $bits = one_of(6, 10, 20, 20, 31, 40, 52, 52, 54, 56, 58, 60);
my $unit = one_of('B', 'B', 'ms', 'i');
my $has_noise = chance(30);

sub noise {
	return unless $has_noise && chance(10);
	print one_of("\n", "# comment\n", "  # n1: 5 x\n", "#\n", "\t \n");
}
sub line { noise(); print @_, "\n" }

sub name {
	my $address = sprintf '0x%X: ', below(1 << 47);
	my $function = one_of('main', 'malloc', '???', 'std::vector<int, std::allocator<int> >::f()',
		'operator new[](unsigned long)', 'a b  c', "caf\xc3\xa9", "\xff\xfe\x80", 'x' x 2500,
		'core::ops::{closure#0}', 'f#', '#', '', ' ', '%s%n', "t\tab", '->', '|', 'n1: 5 y');
	return one_of(
		" $address$function (file.c:" . below(5000) . ')', " $address$function (in /lib/x.so)",
		" $address$function", ' in 3 places, all below massif\'s threshold (1.00%)',
		" $function", '   ', '');
}

my $nodes = 0;

# A tree of BYTES; a child may have more than is left of its parent, but not than TOTAL.
sub node {
	my ($depth, $bytes, $total) = @_;
	$nodes++;
	my $width = $nodes > 150 || chance(30) ? 0 : chance(5) ? below(60) : below(5);
	my $indent = chance(95) ? ' ' x $depth : ' ' x below(5);
	line("${indent}n$width:" . (chance(95) ? ' ' : one_of('', '   ', "\t")), $bytes, name());
	for my $left (reverse 1 .. $width) {
		my $share = chance(10) ? below($total + 1) : chance(30) ? $total / 100 :
			chance(10) ? 0 : below($bytes / $left * 2 + 1);
		node($depth + 1, $share > $total ? $total : $share, $total);
	}
}

line('desc:', one_of(' --time-unit=B', ' (none)', '', ' # all', ' a  b ')) for 1 .. one_of(1, 1, 1, 0, 3);
line('cmd:', one_of(' ./prog a b', ' ./prog #1', '', " \xe9t\xe9", '  x  '));
line('time_unit:', one_of(' ', '', '  '), $unit);
my ($count, $time, $lies) = (1 + below(one_of(3, 40, 120)), 0, chance(10));
for my $i (0 .. $count - 1) {
	my ($heap, $extra, $stacks) = map { chance(10) ? 0 : number($bits) } 1 .. 3;
	$extra = $stacks = 0 if chance(60);
	my $total = $heap + $extra + $stacks;
	print "#-----------\n";
	line('snapshot=', $lies ? below($count) : $i);
	print "#-----------\n" if chance(95);
	line('time=', $time);
	line('mem_heap_B=', $heap);
	line('mem_heap_extra_B=', $extra);
	line('mem_stacks_B=', $stacks);
	my $kind = chance(80) ? 'empty' : chance(85) ? 'detailed' : 'peak';
	line("heap_tree=$kind");
	$nodes = 0;
	node(0, chance(90) ? $heap : 0, $total) unless $kind eq 'empty';
	$time += number($bits) unless chance(10);
	$time = $time / 2 if $lies && chance(5);
}
