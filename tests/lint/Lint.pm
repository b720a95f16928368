# Lint.pm -- what the lint tests share: TAP results, the list of sources, reading of C.
#
# Needs only the modules of perl-base. A lint test is one executable tests/lint/NAME.t:
#
#	#!/usr/bin/perl
#	# NAME.t -- what is promised
#	use strict;
#	use warnings;
#	use lib $0 =~ m{^(.*)/};
#	use Lint;
#	check($_, my_complaints($_)) for files(qr/\.c$/, 'cli');
#	done_testing();
#
# SPDX-License-Identifier: LGPL-2.1-or-later
package Lint;

use strict;
use warnings;
use Cwd qw(abs_path);
use File::Basename qw(dirname);

our $SRC = $ENV{MU_SRC} // abs_path(dirname(__FILE__) . '/../..');
our $BUILD = $ENV{MU_BUILD} // "$SRC/build";

# The folders that hold the product, lowest first.
our @FOLDERS = qw(include recording libmemusage profile formats cli
	memusage memusagestat memusageprint memusageserve);

my ($run, $failed) = (0, 0);

sub import {
	no strict 'refs';
	my $to = caller;
	*{"${to}::$_"} = \&$_ for qw(ok diag skip skip_all done_testing check
		files slurp code blank functions function_name command);
}

sub diag { print "# $_\n" for map { split /\n/ } @_ }

# With a prototype: a match that fails would be an empty list, and the text the result.
sub ok($$) {
	my ($ok, $text) = @_;
	$run++;
	$failed++ unless $ok;
	$text =~ tr/#\n/. /;
	print $ok ? '' : 'not ', "ok $run - $text\n";
	return $ok;
}

# check FILE, COMPLAINTS...: one result for a file, with everything that is wrong in it.
sub check {
	my ($file, @complaints) = @_;
	ok(!@complaints, $file);
	diag(@complaints > 20 ? (@complaints[0 .. 19], '...') : @complaints);
}

sub skip {
	my ($why) = @_;
	$run++;
	print "ok $run # SKIP $why\n";
}

sub skip_all {
	my ($why) = @_;
	print "1..0 # SKIP $why\n";
	exit 0;
}

sub done_testing {
	skip_all('nothing to look at yet') unless $run;
	print "1..$run\n";
	exit($failed ? 1 : 0);
}

# True if a program of that name is in PATH.
sub command {
	my ($name) = @_;
	for my $dir (split /:/, $ENV{PATH}) { return 1 if -x "$dir/$name" }
	return 0;
}

# What is built, and inputs kept for tests.
my $not_ours = qr{^build|^tests/(golden|fuzz/corpus)$|^\.git$};

# files PATTERN, FOLDER...: paths below the folders ('.' is everything but what is built), as
# seen from the source root, sorted.
sub files {
	my ($pattern, @todo) = @_;
	my @found;
	while (defined(my $folder = shift @todo)) {
		my $path = $folder eq '.' ? '' : "$folder/";
		opendir(my $dir, "$SRC/$folder") or next;
		for my $entry (sort grep { !/^\.{1,2}$/ } readdir $dir) {
			my $file = "$path$entry";
			next if -l "$SRC/$file";
			if (-d "$SRC/$file") {
				push @todo, $file unless $file =~ $not_ours;
			} elsif ($file =~ $pattern && -f "$SRC/$file") {
				push @found, $file;
			}
		}
		closedir $dir;
	}
	return sort @found;
}

sub slurp {
	my ($file) = @_;
	open my $in, '<:raw', "$SRC/$file" or die "$file: $!\n";
	local $/;
	return scalar(<$in>) // '';
}

# TEXT with every character but the line ends replaced by spaces.
sub blank {
	my ($text) = @_;
	$text =~ s/[^\n]/ /g;
	return $text;
}

# A comment, or a literal, of C.
our $COMMENT = qr{/\*.*?\*/|//[^\n]*}s;
our $LITERAL = qr{"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'}s;

# C with comments and the contents of literals blanked out; offsets and lines stay.
sub code {
	my ($text) = @_;
	$text =~ s{($COMMENT)|($LITERAL)}
		{defined $1 ? blank($1) : substr($2, 0, 1) . blank(substr($2, 1, -1)) . '"'}ge;
	return $text;
}

# The functions defined in C text in the kernel's style (a brace alone in column 0 opens the
# body): hashes with name, first (line of the signature) and last (line of the closing brace).
sub functions {
	my @line = split /\n/, code($_[0]);
	my @found;
	for (my $i = 0; $i < @line; $i++) {
		next unless $line[$i] =~ /^\{/;
		my ($first, $last) = ($i, $i);
		$first-- while $first > 0 && $line[$first - 1] =~ /\S/
			&& $line[$first - 1] !~ /^[}#]|;\s*$/;
		$last++ while $last < $#line && $line[$last] !~ /^\}/;
		my $name = function_name(join ' ', @line[$first .. $i]);
		push @found, { name => $name, first => $first + 1, last => $last + 1 }
			if defined $name;
		$i = $last;
	}
	return @found;
}

# The name that a declaration declares, if it declares a function.
sub function_name {
	my ($declaration) = @_;
	my $nested = qr/(\((?:[^()]|(?1))*\))/;
	$declaration =~ s/__attribute__\s*$nested//g;
	$declaration =~ s/\b_Static_assert\s*$nested//g;
	return $declaration =~ /^[^(=]*?(\w+)\s*\(/ ? $1 : undef;
}

1;
