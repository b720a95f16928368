#!/usr/bin/perl
# includes.t -- the arrow rule: which folder may include, and call, what.
#
#	libmemusage -> recording <- profile <- formats <- memusagestat, memusageprint
#
# cli serves the programs only, but for numbers as text, which formats has too, and for memory, whose
# lack ends the program. The recorder includes nothing but its own headers, recording/, the installed
# header and those of the C library, and no stdio. profile and formats neither print nor exit
# otherwise. Includes are quoted from the source root; a .c begins with its own header.
#
# Sub-folders are rooms, in an order: a room includes those before it, and defines no function that
# one of them declares. No folder holds more modules than one can keep in mind.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
use strict;
use warnings;
use lib $0 =~ m{^(.*)/};
use Lint;

my %may_include = (
	include => [],
	recording => [],
	libmemusage => [qw(recording include)],
	profile => [qw(recording cli/xmalloc.h)],
	formats => [qw(recording profile cli/units.h cli/xmalloc.h)],
	cli => [],
	memusage => [qw(recording profile formats cli)],
	memusagestat => [qw(recording profile formats cli)],
	memusageprint => [qw(recording profile formats cli)],
	# It finds and copies a recording as memusage does.
	memusageserve => [qw(recording profile formats cli memusage/common/child.h
		memusage/common/clock.h memusage/common/listener.h memusage/common/process.h
		memusage/common/procmem.h memusage/common/program.h memusage/record/live_copy.h
		memusage/remote/contact.h memusage/remote/launched.h
		memusage/remote/remote_findings.h
		memusage/remote/remote_samples.h)],
);

# The rooms of a folder, the lowest first; '' is the folder itself.
my %rooms = (
	libmemusage => [qw(base image unwind tables event requests patch pages emulated lifecycle
		interpose hooks emulator attach)],
	memusage => [qw(common rights options record trace examine holders allocator attach report collector remote
		launcher)],
	profile => [qw(base graph pages names symbols unwind read model compare budget save merge)],
	formats => ['base', 'holders', '', 'gate', 'leaks', 'pprof', 'viewers', 'page', 'push'],
	memusageprint => ['job', 'export', 'text', 'dhat', 'diff', 'gate', 'live', 'merge', ''],
	memusagestat => ['drawing', ''],
	memusageserve => ['options', 'loop', 'source', 'http', 'push', ''],
);
my $modules_most = 25;

# 'FILE HEADER' of an include of a later room => why it must be.
my %upward = (
);

# A function that a room declares and a later one defines => why it must be.
my %defined_later = (
	hook_enter_slow => 'the first event of a process starts the recording',
	# libmemusage_attach.so has these in the place of those of the rooms.
	recorder_start => 'an attacher starts the recording',
	emulated_exec_start => 'no emulator attaches',
	patch_begin => 'an attacher changes the code',
	patch_end => 'likewise', patch_write => 'likewise', patch_store => 'likewise',
);

# Headers of other libraries, and the only folders that may use them.
my %library = (
	'gd.h' => 'memusagestat', 'gdfont' => 'memusagestat', 'cairo' => 'memusagestat',
	'png.h' => 'memusagestat',
	'zlib.h' => 'memusagestat|formats', 'elfutils/' => 'profile', 'dwarf.h' => 'profile',
	'microhttpd.h' => 'memusageserve', 'curl/' => 'memusageserve',
	'curses.h' => 'memusageprint', 'gelf.h' => 'profile', 'libelf.h' => 'profile',
	'libiberty/' => 'profile',
);

my $print_or_exit =
	qr/\b(v?printf|puts|putchar|perror|_?exit|abort|errx?|warn|die)\s*\(/;

# What prints, ends the program, allocates or keeps state of its own.
my %must_not_call = (
	libmemusage => qr/\b(v?[fd]?printf|puts|putchar|perror|fopen|fwrite|exit|abort|assert|
		atexit|strdup|v?asprintf|qsort|strerror|localtime|system|popen)\s*\(/x,
	profile => $print_or_exit,
	formats => $print_or_exit,
);

sub include_complaints {
	my ($file, $folder, $text) = @_;
	my @found;

	for (split /\n/, $text) {
		my ($open, $name) = /^\s*#\s*include\s*([<"])([^>"]+)[>"]/ or next;
		my ($from) = $name =~ m{^([^/]+)/};
		if ($open eq '"') {
			my @folders = ($folder, @{$may_include{$folder}});
			push @found, "\"$name\" is not for $folder/"
				unless grep { $_ eq ($from // '') || $_ eq $name } @folders;
			push @found, "\"$name\" does not exist"
				unless -e "$Lint::SRC/$name" || $name eq 'cli/version.h';
			next;
		}
		push @found, '<stdio.h> in the recorder'
			if $folder eq 'libmemusage' && $name eq 'stdio.h';
		for my $prefix (keys %library) {
			push @found, "<$name> is not for $folder/"
				if index($name, $prefix) == 0 && $folder !~ /^($library{$prefix})$/;
		}
	}
	return @found;
}

# The place of a file's room in the order of its folder; none where there is no order.
sub room_of {
	my ($file) = @_;
	my ($folder, $room) = $file =~ m{^([^/]+)/(?:([^/]+)/)?};
	my $order = $rooms{$folder // ''} or return;
	my ($number) = grep { $order->[$_] eq ($room // '') } 0 .. $#$order;

	return ($folder, $number);
}

my %exception_used;

sub room_complaints {
	my ($file, $text) = @_;
	my ($folder, $room) = room_of($file);
	my @found;

	return () unless $folder;
	return ("lies in no room of $folder/") unless defined $room;
	for my $name ($text =~ /^\s*#\s*include\s*"([^"]+)"/mg) {
		my ($of, $other) = room_of($name);
		next unless defined $other && $of eq $folder && $other > $room;
		push @found, "\"$name\" is of a later room" unless $upward{"$file $name"};
		$exception_used{"$file $name"} = 1;
	}
	return @found;
}

my (%declared_in, %module);

# Names that a header declares as functions are to be defined in its room, or in one above.
sub note_declarations {
	my ($file, $text) = @_;

	$module{$file =~ s{/[^/]+$}{}r}{$file =~ s/\.[chS]$//r} = 1;
	return unless $file =~ /\.h$/ && defined((room_of($file))[1]);
	$declared_in{$_} //= $file
		for code($text) =~ /^\w[^;{}()=]*?\b(\w+)\([^;{}]*\)\s*(?:__attribute__\S*\s*)?;/mg;
}

sub definition_complaints {
	my ($file, $text) = @_;
	my ($folder, $room) = room_of($file);
	my @found;

	return () unless $file =~ /\.c$/ && defined $room;
	for my $name (code($text) =~ /^(?!static)\w[^;{}()=]*?\b(\w+)\([^;{}]*\)\s*\n\{/mg) {
		my $header = $declared_in{$name} or next;
		my ($of, $lower) = room_of($header);
		next unless $of eq $folder && $lower < $room;
		push @found, "defines $name(), which \"$header\" of an earlier room declares"
			unless $defined_later{$name};
		$exception_used{$name} = 1;
	}
	return @found;
}

sub own_header_complaints {
	my ($file, $text) = @_;
	my ($own, $base) = $file =~ m{^(.*?([^/]+))\.c$} or return ();

	return () unless -e "$Lint::SRC/$own.h";
	my ($first) = $text =~ /^\s*#\s*include\s*[<"]([^>"]+)/m;
	# Or that of recording/ which it implements.
	return () if ($first // '') =~ m{^(\Q$own\E|recording/\Q$base\E)\.h$};
	return ("the first include is not its own \"$own.h\"");
}

sub guard_complaints {
	my ($file, $text) = @_;

	# Other compilers may read the headers that are installed.
	return () unless $file =~ /\.h$/ && $file !~ m{^include/};
	return $text =~ m{^/\*.*?\*/\n#pragma once\n\n}s ? () : ('no "#pragma once" below the comment');
}

sub call_complaints {
	my ($file, $folder, $text) = @_;
	my $forbidden = $must_not_call{$folder} or return ();
	my (@found, $number);

	for (split /\n/, code($text)) {
		$number++;
		# What stands in for a function of that name does not call it.
		push @found, "line $number: calls $1()" if /$forbidden/ && !/^EXPORT /;
		push @found, "line $number: prints" if /\bstd(out|err)\b/;
	}
	return @found;
}

for my $folder (@Lint::FOLDERS) {
	note_declarations($_, slurp($_)) for files(qr/\.[chS]$/, $folder);
}
for my $folder (@Lint::FOLDERS) {
	ok(!files(qr/\.c$/, $folder), "$folder holds no code") if $folder =~ /include|recording/;
	for my $file (files(qr/\.[chS]$/, $folder)) {
		my $text = slurp($file);
		check($file, include_complaints($file, $folder, $text),
			room_complaints($file, $text), definition_complaints($file, $text),
			own_header_complaints($file, $text), guard_complaints($file, $text),
			call_complaints($file, $folder, $text));
	}
}
ok(keys %declared_in > 300, 'declarations were found');
check('exceptions are needed', map { "$_: no more" } sort
	grep { !$exception_used{$_} } keys %upward, keys %defined_later);
check('folders can be kept in mind', map { "$_ has more than $modules_most modules" }
	grep { keys %{ $module{$_} } > $modules_most } sort keys %module);
done_testing();
