#!/usr/bin/perl
# docs.t -- each source begins with what it is, each function in a header has a comment, and
# documents name files and functions that exist.
#
# A C file begins with `/* NAME -- ...`, a script has the same near its top; both have the
# SPDX line. A prototype follows a comment of the form
#
#	/* NAME -- what it does.
#
# or is directly below another prototype, under a comment that names both.
#
# In documents each path that begins with one of our folders exists, and each relative link leads to
# a file. docs/tour.md follows the code from function to function: each `name()` in it is a function,
# and "`name()` in `path`" names its file.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
use strict;
use warnings;
use lib $0 =~ m{^(.*)/};
use Lint;

my $spdx = qr/SPDX-License-Identifier: (LGPL-2\.1-or-later|0BSD)\b/;

sub head_complaints {
	my ($file) = @_;
	my $text = slurp($file);
	my ($name) = $file =~ m{([^/]+)$};
	my @found;
	my $head = substr $text, 0, 4096;

	if ($file =~ /\.(c|h|cc|S)$/) {
		# A workload's first lines may be notes to the makefile.
		$text =~ s{^/\* *(CFLAGS|LDLIBS):.*\n}{}mg;
		($head) = $text =~ m{^(/\*.*?\*/)}s;
		$head //= '';
		push @found, "does not begin with /* $name -- ..."
			if $head !~ m{^/\* \Q$name\E -- \S};
	} else {
		push @found, "no line \"# $name -- ...\"" if $head !~ m{^# \Q$name\E -- \S}m;
	}
	push @found, 'no SPDX line in the head' if $head !~ $spdx;
	return @found;
}

# The declarations at the top level of a header: [offset, text], without preprocessor lines.
sub declarations {
	my ($text) = @_;
	my $code = code($text);
	my ($depth, $start, @found) = (0);

	$code =~ s{^[ \t]*#(?:[^\n]*\\\n)*[^\n]*}{blank($&)}gme;
	$code =~ s{extern\s+"[^"]*"\s*\{}{blank($&)}ge;
	while ($code =~ /([{};])|([^\s{};]+)/g) {
		$start //= $-[0];
		if (!defined $1) { next }
		elsif ($1 eq '{') { $depth++ }
		elsif ($1 eq '}' && $depth) { $depth-- }
		# A body ends a definition; `};` and `} name;` end at the semicolon.
		next if $depth || $1 eq '{';
		my $declaration = substr $code, $start, $+[0] - $start;
		next if $1 eq '}' && $declaration !~ /\)\s*\{/;
		push @found, [$start, $declaration];
		undef $start;
	}
	return @found;
}

# The comment that ends directly above offset AT, or above prototypes in between.
sub comment_above {
	my ($text, $at) = @_;
	my $above = substr $text, 0, $at;

	$above =~ s/[ \t]*$//;
	for (;;) {
		return $1 if $above =~ m{(/\*(?:(?!\*/).)*\*/)\n$}s;
		# A prototype directly above, its further lines indented.
		my $prototype = qr{(?:^|(?<=\n))[^\s*/#][^\n;{}]*(?:\n[\t ][^\n;{}]*)*;\n$};
		return '' unless $above =~ s/$prototype//;
	}
}

sub header_complaints {
	my ($file) = @_;
	my $text = slurp($file);
	my (@found, %documented);

	for (declarations($text)) {
		my ($at, $declaration) = @$_;
		next if $declaration =~ /^\s*typedef\b/ || $declaration =~ /^\s*\w[\w\s]*\{/;
		my $name = Lint::function_name($declaration) // next;
		# Another branch of an #if may hold it again.
		next if $documented{$name};
		my $comment = comment_above($text, $at);
		my $line = 1 + (substr($text, 0, $at) =~ tr/\n//);
		if ($comment eq '') {
			push @found, "line $line: $name has no comment";
		} elsif ($comment !~ m{^/\*\s+[\w, ()*\n]*\b\Q$name\E\b[\w, ()*\n]*\s--\s}) {
			push @found, "line $line: the comment above $name is not /* $name -- ...";
		} else {
			$documented{$name} = 1;
		}
	}
	return @found;
}

my $folder = join '|', @Lint::FOLDERS, qw(completions docs man page scripts tests);

sub path_complaints {
	my ($file, $text) = @_;
	my ($here) = $file =~ m{^(.*/)?};
	my @found;

	while ($text =~ m{(?<![\w/.\$*-])((?:$folder)/[\w./-]*\w)(?![\w*/])}g) {
		my $path = $1;
		# tests/unit/NAME.c means any file.
		next if $path =~ /[A-Z]{3}/ || -e "$Lint::SRC/$path" || <$Lint::SRC/$path.*>;
		push @found, "$path does not exist";
	}
	while ($text =~ m{\]\(([^)#:]+)\)}g) {
		push @found, "the link $1 leads nowhere" unless -e "$Lint::SRC/" . ($here // '') . $1;
	}
	return @found;
}

my %in_file; # file => text without comments

sub is_in {
	my ($name, $file) = @_;
	$in_file{$file} //= -f "$Lint::SRC/$file" ? code(slurp($file)) : '';
	return $in_file{$file} =~ /^(?:[#\w].*\b)?\Q$name\E\(/m;
}

sub function_complaints {
	my ($text) = @_;
	my @sources = files(qr/\.[chS]$/, @Lint::FOLDERS);
	my %names = map { $_ => 1 } $text =~ /`(\w+)\(\)`/g;
	my @found;

	while ($text =~ /`(\w+)\(\)`\s+in\s+`([^`]+)`/g) {
		push @found, "$1() is not in $2" unless is_in($1, $2);
	}
	for my $name (sort keys %names) {
		push @found, "no function is called $name()" unless grep { is_in($name, $_) } @sources;
	}
	return @found;
}

my @scripts = grep { !m{^tests/lint/Lint} } files(qr/\.(t|sh|pm)$|^tests\/(bench\/)?run$/, '.');
for my $file (files(qr/\.(c|h|cc|S)$/, @Lint::FOLDERS, 'tests'), @scripts) {
	my @complaints = head_complaints($file);
	push @complaints, header_complaints($file) if $file =~ /\.h$/ && $file !~ /^tests/;
	check($file, @complaints);
}
for my $file (files(qr/\.md$/, 'docs'), 'README.md', 'CONTRIBUTING.md') {
	my $text = slurp($file);
	check($file, path_complaints($file, $text),
		$file eq 'docs/tour.md' ? function_complaints($text) : ());
}
done_testing();
