#!/usr/bin/perl
# words.t -- no file names a path of one machine, or is marked as unfinished.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
use strict;
use warnings;
use lib $0 =~ m{^(.*)/};
use Lint;

# The patterns are written so that this file does not match.
my @unwanted = (
	[qr{(?<![\w.\$\}*-])/(?:home|Users)/(?!user\b|me\b|you\b)\w+}, 'a home directory'],
	[qr{(?<![\w.\$\}*-])/r[o]ot/\w}, 'a home directory'],
	[qr{(?<![\w.\$\}*-])/w[o]rk/\w}, 'a path of one machine'],
	[qr{\b(?:F[I]XME|X[X]X|HACK[:])(?![\w.])}, 'an unfinished place'],
	[qr{^(?:<{7}|>{7}) }, 'a merge conflict'],
);
my $root = quotemeta $Lint::SRC;

for my $file (files(qr/./, '.')) {
	next if $file eq 'LICENSE' || !-T "$Lint::SRC/$file";
	my ($number, @found) = (0);
	for my $line (split /\n/, slurp($file)) {
		$number++;
		for (@unwanted, [qr{$root/}, 'the path of this tree']) {
			push @found, "line $number: $_->[1]: $&" if $line =~ $_->[0];
		}
	}
	check($file, @found) if @found;
}
ok(1, 'looked at every file');
done_testing();
