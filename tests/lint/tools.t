#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Shell scripts as shellcheck likes them, man pages as mandoc does.  TAP; BUILD names the object
# folder, where the man pages have been made.
set -uo pipefail

n=0 failed=0
result() {
	local status=$1 name=$2 said=$3

	n=$((n + 1))
	if ((status == 0)); then
		printf 'ok %d - %s\n' "$n" "$name"
	else
		failed=1
		printf '%s\n' "$said" | sed 's/^/# /'
		printf 'not ok %d - %s\n' "$n" "$name"
	fi
}

mapfile -t scripts < <(find . -path './build*' -prune -o -path ./.git -prune -o -type f -print |
	while IFS= read -r file; do
		IFS= read -r first <"$file" 2>/dev/null
		[[ ${first:-} =~ ^'#!'.*[/\ ](ba|da)?sh ]] && printf '%s\n' "$file"
	done | sort)
((${#scripts[@]} >= 4))
result $? 'there are scripts to look at' "${scripts[*]}"
said=$(shellcheck --external-sources "${scripts[@]}" 2>&1)
result $? "shellcheck (${#scripts[@]} scripts)" "$said"

for source in man/*.scd; do
	[[ -e $source ]] || continue
	page=${BUILD:-build}/man/$(basename "$source" .scd)
	# Paragraphs after headings are how scdoc writes; no reader sees them.
	said=$(mandoc -T lint -W warning "$page" 2>&1 | grep -v 'skipping paragraph macro: PP')
	[[ -e $page && -z $said ]]
	result $? "mandoc: $page" "$said"
done

printf '1..%d\n' "$n"
exit "$failed"
