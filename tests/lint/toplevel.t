#!/usr/bin/perl
# toplevel.t -- the top of the source tree has only what belongs there.
#
# Unit tests that are run by hand write into the current folder, and "git add -A" takes that along.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
use strict;
use warnings;
use lib $0 =~ m{^(.*)/};
use Lint;

my %known = map { $_ => 1 } qw(.ci .editorconfig .git .gitattributes .gitignore .dist-version
	CONTRIBUTING.md GNUmakefile LICENSE LICENSES.md NEWS.md README.md VERSION build cli completions
	docs formats include libmemusage man memusage memusageprint memusageserve memusagestat page
	profile recording scripts services tests);

# Files that git would take; what it ignores is the user's.
my @files = map { (split m{/}, $_, 2)[0] } split /\n/,
	`git -C '$Lint::SRC' ls-files --cached --others --exclude-standard 2>/dev/null`;
my %seen;
check($_, $known{$_} ? () : 'does not belong at the top of the tree')
	for grep { !$seen{$_}++ } sort @files;
skip('this tree has no git') unless @files;
done_testing();
