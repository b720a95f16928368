#!/usr/bin/perl
# dhat_compare.pl FILE FILE [FIELD...] -- compare two profiles of DHAT point by point, and print
# every difference. Points are matched by the functions and lines of their stacks: addresses and
# the frame of the function that allocates are left out, and so is what is the same there but at
# another address.
use strict;
use warnings;
use JSON::PP;

# Names differ where one of two has read other debug information: "(in OBJECT)" is all there is.
sub frame {
	my ($text) = @_;

	$text =~ s/^0x[0-9A-Fa-f]+: //;
	return $text;
}

sub load {
	my ($file, @fields) = @_;
	my (%points, %sum);

	open my $in, '<', $file or die "$file: $!\n";
	my $json = JSON::PP->new->decode(do { local $/; <$in> });
	for my $point (@{ $json->{pps} }) {
		my @stack = map { frame($json->{ftbl}[$_]) } @{ $point->{fs} };

		@stack = grep { !/vgpreload_dhat|vg_replace_malloc/ } @stack;
		my $key = join "\n    ", @stack;
		for (@fields) {
			$points{$key}{$_} += $point->{$_};
			$sum{$_} += $point->{$_};
		}
	}
	return (\%points, \%sum);
}

my ($one, $other, @fields) = @ARGV;
@fields = qw(tb tbk gb gbk eb ebk) unless @fields;
my ($a, $sum_a) = load($one, @fields);
my ($b, $sum_b) = load($other, @fields);
my $differences = 0;

for my $key (sort keys %{ { %$a, %$b } }) {
	my ($p, $q) = ($a->{$key}, $b->{$key});
	my @wrong = grep { ($p->{$_} // 0) != ($q->{$_} // 0) } @fields;

	next if $p && $q && !@wrong;
	$differences++;
	print "at $key\n";
	printf "  %s %s %s\n", $_, $p->{$_} // 'none', $q->{$_} // 'none' for @wrong ? @wrong : @fields;
}
printf "%d points, %s; %d differ\n", scalar keys %$a,
	join(' ', map { "$_=" . ($sum_a->{$_} // 0) } @fields), $differences;
exit($differences != 0);
