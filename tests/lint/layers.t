#!/usr/bin/perl
# SPDX-License-Identifier: GPL-3.0-or-later
# Each C file includes only its own layer and lower ones, as tests/lint/layers.txt says.  TAP.
use strict;
use warnings;
use File::Path qw(make_path);
use File::Temp qw(tempdir);

my (@layers, @never);

sub pattern {
	my $p = quotemeta shift;
	$p =~ s{\\\*}{[^/]*}g;
	return qr{^$p$};
}

sub layer {
	my $path = shift;
	for (@layers) {
		return $_->[0] if $path =~ $_->[1];
	}
	return undef;
}

sub read_table {
	open my $table, '<', 'tests/lint/layers.txt' or die "tests/lint/layers.txt: $!\n";
	while (<$table>) {
		next if /^\s*(#|$)/;
		if (/^never\s+(\S+)\s+(\S+)\s*$/) {
			push @never, [pattern($1), pattern($2), "$1 must never include $2"];
		} elsif (/^(\d+)\s+(\S+)\s*$/) {
			push @layers, [$1, pattern($2)];
		} else {
			die "tests/lint/layers.txt:$.: neither a layer nor a rule\n";
		}
	}
}

# What is wrong with one #include, or nothing.
sub problem {
	my ($file, $to) = @_;
	my ($own, $other) = (layer($file), layer($to));

	return "$to has no layer" if !defined $other;
	return "layer $own includes $to of layer $other" if $other > $own;
	return "only commands and main include $to"
		if $to =~ m{/cmd[^/]*\.h$} && $file !~ m{/(cmd[^/]*|main\.c)$};
	for (@never) {
		return "includes $to, but $_->[2]" if $file =~ $_->[0] && $to =~ $_->[1];
	}
	return undef;
}

# Headers are looked up as the compiler does: beside the file, or from the top.
sub resolve {
	my ($top, $from, $name) = @_;
	(my $beside = $from) =~ s{[^/]*$}{$name};

	return $beside if -e "$top/$beside";
	return -e "$top/$name" ? $name : undef;
}

# All C files of the program; what lies below a recipe is built into the system under test.
sub sources {
	my $top = shift;
	my $folders = '{harness,harness/*,targets,targets/*,db,db/*,reports,reports/*,firmware-images}';

	return sort map { s{^\Q$top\E/}{}r } grep { -f } glob("$top/$folders/*.[ch]");
}

sub check {
	my $top = shift;
	my ($includes, @problems) = (0);

	for my $file (sources($top)) {
		if (!defined layer($file)) {
			push @problems, "$file: has no layer; give it one in tests/lint/layers.txt";
			next;
		}
		open my $in, '<', "$top/$file" or die "$file: $!\n";
		while (<$in>) {
			next unless /^\s*#\s*include\s*"([^"]+)"/;
			$includes++;
			my $to = resolve($top, $file, $1);
			my $wrong = defined $to ? problem($file, $to) :
				"$1 is not in the tree (write <> for a header from elsewhere)";
			push @problems, "$file:$.: $wrong" if $wrong;
		}
	}
	return ($includes, @problems);
}

sub put {
	my ($path, $text) = @_;
	make_path($path =~ s{/[^/]*$}{}r);
	open my $out, '>', $path or die "$path: $!\n";
	print $out $text;
}

read_table();
my ($includes, @problems) = check('.');
print "# $_\n" for @problems;
print @problems ? 'not ' : '', "ok 1 - no file includes a higher layer\n";
print $includes > 50 ? '' : 'not ', "ok 2 - the check saw the tree ($includes includes)\n";

# A tree in which every line but the first is a breach of another kind.
my $bad = tempdir(CLEANUP => 1);
put("$bad/$_", '') for 'db/store.h', 'harness/cmd.h', 'harness/power.h', 'harness/base/buf.h';
put("$bad/targets/target.c", qq{#include "harness/base/buf.h"\n#include "harness/power.h"\n});
put("$bad/reports/text.c", qq{#include "db/store.h"\n});
put("$bad/harness/run.c", qq{#include "db/store.h"\n#include "harness/cmd.h"\n});
put("$bad/harness/base/str.c", qq{#include "nowhere.h"\n});
put("$bad/harness/orphan.c", '');
my (undef, @found) = check($bad);
print "# found: $_\n" for @found;
print @found == 6 ? '' : 'not ', "ok 3 - every kind of breach is found\n";
print "1..3\n";
exit(@problems || $includes <= 50 || @found != 6);
