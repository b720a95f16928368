#!/usr/bin/perl
# enums.t -- enumerations of the wire and file formats give each name a value of its own.
#
# Two changes that were made at the same time can take the same bit of a set of flags, and still
# compile. A name that is meant to be another one's says so: NAME = OTHER.
#
# The constants of an enumeration without a name fit an int: gcc 13 and later give all of them the
# type of the largest, so that a loop with an int compares different signedness.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
use strict;
use warnings;
use lib $0 =~ m{^(.*)/};
use Lint;

# The numbers of an enumeration's names; none for what is not a sum, a shift or a number.
sub repeated_values {
	my ($body) = @_;
	my ($value, %name_of, @found) = (-1);

	for my $item (grep { /\w/ } split /,/, $body) {
		my ($name, $given) = $item =~ /(\w+)\s*(?:=\s*(.*\S))?\s*$/s or next;
		if (!defined $given) {
			$value++ if defined $value;
		} elsif ($given =~ /^(?:0x[0-9a-f]+|\d+)u?(?:\s*<<\s*\d+)?$/i) {
			my ($number, $shift) = $given =~ /^(\w+?)u?(?:\s*<<\s*(\d+))?$/i;
			$value = ($number =~ /^0x/i ? hex $number : $number) << ($shift // 0);
		} else {
			$value = undef;
			next;
		}
		next if !defined $value;
		push @found, "$name is $value, as $name_of{$value}" if $name_of{$value};
		$name_of{$value} //= $name;
	}
	return @found;
}

for my $file (files(qr/\.h$/, qw(recording include)), files(qr/wire\.h$/, qw(memusage cli))) {
	my $text = slurp($file);
	my @found;

	$text =~ s{/\*.*?\*/}{}gs;
	push @found, map { "enum $_->[0]: $_->[1]" } map { my $name = $_->[0];
		map { [$name, $_] } repeated_values($_->[1]) } enums($text);
	check($file, @found);
}

my @wide;
for my $file (files(qr/\.(c|h|cc)$/, '.')) {
	my $text = code(slurp($file));

	while ($text =~ /\benum\s*\{(.*?)\}/gs) {
		push @wide, map { "$file: $_" } grep { is_wide($_) } split /,/, $1;
	}
}
check('the constants of enumerations without a name fit an int', @wide);
done_testing();

# True if an item of an enumeration, NAME = VALUE, names a value that an int cannot hold.
sub is_wide {
	my ($item) = @_;

	return $item =~ /=.*(?:\bU?INT64_(?:MAX|MIN)|\bUINT(?:32|PTR)?_MAX|\bS?SIZE_MAX|<<\s*(?:3[1-9]|[4-6]\d))/s ||
		$item =~ /=\s*\(?0x[89a-f][0-9a-f]{7}u?\b/i || $item =~ /=\s*\(?0x[1-9a-f][0-9a-f]{8,}/i;
}

# Pairs of the name and the body of each named enumeration.
sub enums {
	my ($text) = @_;
	my @found;

	push @found, [$1, $2] while $text =~ /\benum\s+(\w+)\s*\{(.*?)\}/gs;
	return @found;
}
