#!/usr/bin/perl
# size.t -- no function is longer than 60 lines, no file than 600, without a stated reason.
#
# The reason is directly above the function, or in the head of the file:
#
#	/* long: a table of every syscall */
#
# SPDX-License-Identifier: LGPL-2.1-or-later
use strict;
use warnings;
use lib $0 =~ m{^(.*)/};
use Lint;

my ($max_function, $max_file) = (60, 600);

# True if the comment that ends on the last of the lines gives one.
sub reason_above {
	return join("\n", @_) =~ m!/\*(?:(?\!\*/).)*\blong: \S(?:(?\!\*/).)*\*/\z!s;
}

sub complaints {
	my ($text) = @_;
	my @line = split /\n/, $text;
	my @found;

	for my $f (functions($text)) {
		my $length = $f->{last} - $f->{first} + 1;
		next if $length <= $max_function || reason_above(@line[0 .. $f->{first} - 2]);
		push @found, "line $f->{first}: $f->{name} has $length lines";
	}
	my ($head) = $text =~ m{^(/\*.*?\*/)}s;
	push @found, scalar(@line) . ' lines' if @line > $max_file && ($head // '') !~ /\blong: \S/;
	return @found;
}

check($_, complaints(slurp($_))) for files(qr/\.[ch]$/, @Lint::FOLDERS, 'tests');
done_testing();
