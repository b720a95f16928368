#!/usr/bin/perl
# style.t -- the form of the text: tabs, 100 columns (120 in scripts and tests, which hold
# expected text), no trailing space, /* */ comments only.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
use strict;
use warnings;
use lib $0 =~ m{^(.*)/};
use Lint;

my $c_source = qr/\.(c|h|S|cc)$/;
my $prose = qr/\.(md|1|5|S)$/;

# Columns of a line, tabs of 8.
sub width {
	my ($line) = @_;
	my $column = 0;
	for my $part (split /(\t)/, $line) {
		$column = $part eq "\t" ? $column - $column % 8 + 8 : $column + length $part;
	}
	return $column;
}

# The lines of C text on which a // comment begins.
sub slash_comments {
	my ($text) = @_;
	my @found;
	while ($text =~ /($Lint::COMMENT)|$Lint::LITERAL/g) {
		my ($comment, $above) = ($1 // '', substr $text, 0, $-[0]);
		push @found, 1 + ($above =~ tr/\n//) if $comment =~ m{^//};
	}
	return @found;
}

# True if spaces indent line I, where they do not merely align what the line before began.
sub spaces_indent {
	my ($i, @code) = @_;
	return 0 unless $code[$i] =~ /^ +[^ *]/;
	return $code[$i] =~ /^ {8}/ || $i == 0 || $code[$i - 1] =~ /[;{}:]\s*$/;
}

sub complaints {
	my ($file) = @_;
	my $text = slurp($file);
	my $is_c = $file =~ $c_source;
	my $columns = $file =~ m{(^|/)(tests|scripts)/} ? 120 : 100;
	my @line = split /\n/, $text;
	my @code = $is_c ? split(/\n/, code($text)) : ();
	my @found;

	push @found, 'the last line has no end' if $text ne '' && $text !~ /\n\z/;
	push @found, 'blank lines at the end' if $text =~ /\n\n\z/;
	push @found, map { "line $_: a // comment" } slash_comments($text) if $is_c;
	for my $i (0 .. $#line) {
		my $at = 'line ' . ($i + 1) . ':';
		utf8::decode($line[$i]);
		push @found, "$at trailing space" if $line[$i] =~ /\s$/;
		push @found, "$at " . width($line[$i]) . ' columns'
			if $file !~ $prose && width($line[$i]) > $columns;
		push @found, "$at indented by spaces" if $is_c && spaces_indent($i, @code);
	}
	return @found;
}

my $checked = qr{\.(c|h|S|cc|t|sh|pm|md|1|5|map)$|makefile$|^tests/run$|^completions/|^\.ci/|
	^page/(src/|build\.mjs$)}x;
check($_, complaints($_)) for files($checked, '.');
done_testing();
