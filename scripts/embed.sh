#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Print C source that holds files as an array of struct embed (harness/base/embed.h).
#
#   scripts/embed.sh SET FOLDER [FILE…]     defines embed_SET[] and embed_SET_count;
#                                           FILEs lie below FOLDER
set -euo pipefail
export LC_ALL=C

set=$1 folder=$2
shift 2
files=()
(($# == 0)) || mapfile -t files < <(printf '%s\n' "$@" | sort)

printf '/* Made by scripts/embed.sh from %s/. */\n' "$folder"
printf '#include "harness/base/embed.h"\n\n'
printf 'extern const struct embed embed_%s[];\nextern const size_t embed_%s_count;\n\n' "$set" "$set"
for i in "${!files[@]}"; do
	printf 'static const unsigned char data_%d[] = {\n' "$i"
	od -An -v -t u1 "${files[i]}" | sed 's/  */,/g; s/^,//; s/$/,/'
	printf '0};\n\n'
done
printf 'const struct embed embed_%s[] = {\n' "$set"
for i in "${!files[@]}"; do
	printf '\t{"%s", data_%d, sizeof(data_%d) - 1},\n' "${files[i]#"$folder"/}" "$i" "$i"
done
printf '\t{NULL, NULL, 0},\n};\nconst size_t embed_%s_count = %d;\n' "$set" "${#files[@]}"
