#!/usr/bin/perl
# locks.t -- every spin lock of the recorder is a member of struct recorder_locks, or a word of the
# image that locks_free_all() frees; and each member is taken somewhere.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
use strict;
use warnings;
use lib $0 =~ m{^(.*)/};
use Lint;

# Argument of spin_lock() and similar functions for a lock in the image => what frees that lock.
my %in_image = (
	'&heap->lock' => 'image->heap.lock = 0',
	'&rec.image->heap.lock' => 'image->heap.lock = 0',
	'&blocks->lock' => '(struct mu_blocks *)pointer_in_image(image, image->blocks_root))->lock = 0',
	'&all->lock' => '(struct mu_points *)pointer_in_image(image, image->points))->lock = 0',
);
# A point's lock is held by one of several threads, in the hook, and no thread waits for it for ever:
# points_lock() continues without it.
my %not_freed = ('&point->lock' => 1);
my %elsewhere = map { $_ => 1 } 'libmemusage/base/locks.h', 'libmemusage/base/spin.h';
my $freeing = slurp('libmemusage/base/locks.c');
my ($members) = slurp('libmemusage/base/locks.h') =~ /^struct recorder_locks \{\n(.*?)^\};/ms;
my %is_member = map { $_ => 0 } $members =~ /(\w+);/g;
my @arena = slurp('libmemusage/base/locks.h') =~ /^struct arena_locks \{\n(.*?)^\};/ms;
my %is_arena = map { $_ => 0 } $arena[0] =~ /uint32_t (\w+);/g;

sub complaint_about {
	my ($lock) = @_;

	if ($lock =~ /^&locks\.(\w+)$/ && exists $is_member{$1}) {
		$is_member{$1}++;
	} elsif ($lock =~ /^&arena_locks->(\w+)$/ && exists $is_arena{$1}) {
		$is_arena{$1}++;
	} elsif ($in_image{$lock}) {
		return "$lock is not freed by locks_free_all()"
			if index($freeing, $in_image{$lock}) < 0;
	} elsif (!$not_freed{$lock}) {
		return "$lock is not in struct recorder_locks";
	}
	return;
}

for my $file (files(qr/\.[ch]$/, 'libmemusage')) {
	my $text = code(slurp($file));
	my @found;
	next if $elsewhere{$file};
	# Members that belong to a lock are next to it.
	$is_member{$_}++ for grep { /_/ && exists $is_member{$_} } $text =~ /&locks\.(\w+)/g;
	push @found, map { complaint_about($_) }
		$text =~ /\bspin_(?:lock|try|unlock)\(\s*([^()]*?)\s*\)/g;
	push @found, map { "declares $_" } grep { $_ ne 'arena_locks' }
		$text =~ /\b(?:static|uint32_t|_Atomic)\b[^;=(){}]*?\b(\w*lock)\s*[;=]/g;
	check($file, @found);
}
$is_member{arena} = 1 if %is_arena && !grep { !$_ } values %is_arena;
ok(%is_member > 10, 'the members were found');
ok($is_member{$_}, "locks.$_ is taken") for sort keys %is_member;
ok($freeing =~ /^\tlocks = \(struct recorder_locks\)\{/m, 'all of them are freed at once');
ok($freeing =~ /image->query_wanted = 0/, 'and so is the question to the collector');
done_testing();
