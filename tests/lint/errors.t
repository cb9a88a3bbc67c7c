#!/usr/bin/perl
# SPDX-License-Identifier: GPL-3.0-or-later
# The codes of errors in the C files and in man/harness-errors.7.scd are the same, each below the exit
# status that it has; and other pages name no code that is gone.  TAP.
use strict;
use warnings;

my $manual = 'man/harness-errors.7.scd';
# Words of enum err_class and enum outcome; what a helper without one (redfish_fail) gives is not looked at.
my %status = (
	ERR_USAGE => 2, ERR_LAB => 3, ERR_IMAGE => 4, ERR_MEASURE => 5, ERR_BUSY => 6,
	OUTCOME_LAB => 3, OUTCOME_IMAGE => 4, OUTCOME_REFUSED => 4, OUTCOME_WRONG_IMAGE => 5,
	OUTCOME_MODE_MISMATCH => 5, OUTCOME_CPU_MISMATCH => 5, OUTCOME_INCOMPLETE => 5,
	OUTCOME_CONFLICT => 5, OUTCOME_CRASH => 5,
);

my ($n, $failed) = (0, 0);

sub result {
	my ($name, @problems) = @_;
	$n++;
	$failed ||= @problems > 0;
	print "# $_\n" for @problems;
	print @problems ? 'not ' : '', "ok $n - $name\n";
}

sub text {
	my $path = shift;
	open my $in, '<', $path or die "$path: $!\n";
	local $/;
	return <$in>;
}

# code => {file => where it stands, status => {2 => 1, …}}
my %coded;
for my $file (sort glob '{harness,harness/base,harness/git,harness/bisect,harness/mail,harness/stats,db,firmware-images,targets,reports}/*.[ch]') {
	my $text = text($file);

	$text =~ s{/\*.*?\*/}{ }gs;
	$coded{$1}{file} //= $file while $text =~ /["'](E_[A-Z0-9_]+)["']/g;
	# err_set(e, ERR_LAB, "E_X", …), also with a choice of two codes.
	while ($text =~ /\b((?:ERR|OUTCOME)_[A-Z_]+)\s*,([^,;{}]*"E_[^,;{}]*),/g) {
		my $status = $status{$1};

		next if !$status;
		$coded{$_}{status}{$status} = 1 for $2 =~ /"(E_[A-Z0-9_]+)"/g;
	}
}

my (%told, @twice, $section);
for (split /\n/, text($manual)) {
	$section = /STATUS (\d+)$/ ? $1 : 0 if /^# /;
	next if !/^\*(E_[A-Z0-9_]+)\*(?: \(also ((?:\d+(?:, )?)+)\))?$/;
	push @twice, $1 if $told{$1};
	$told{$1} = {map { $_ => 1 } $section, split /, /, $2 // ''};
}

result('there are codes to compare', keys %coded > 40 && keys %told > 40 ? () : scalar(keys %coded) . ' codes, ' .
	scalar(keys %told) . ' entries');
result("every code is told in $manual",
	map { "$coded{$_}{file}: $_ has no entry" } grep { !$told{$_} } sort keys %coded);
result('every entry is a code of the program', map { "nothing gives $_" } grep { !$coded{$_} } sort keys %told);
result('no code is told twice', @twice);

my @wrong;
for my $code (grep { $told{$_} } sort keys %coded) {
	push @wrong, map { "$code can end with $_: write \"(also $_)\" or move it" }
		grep { !$told{$code}{$_} } sort keys %{$coded{$code}{status} // {}};
}
result('codes stand below their exit status', @wrong);

my @stale;
for my $file (sort glob '{,*/,*/*/}*.md man/*.scd') {
	my %seen;

	push @stale, map { "$file: $_ is no code" } grep { !$coded{$_} && !$seen{$_}++ }
		text($file) =~ /(?<![A-Za-z0-9_])(E_[A-Z0-9_]+)/g;
}
result('no page names another code', @stale);

print "1..$n\n";
exit $failed;
