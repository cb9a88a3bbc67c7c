#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# A run of two builds on the virtual lab: what it refuses, how its boots are mixed, what is stored of it, and that the
# command that repeats it is taken.  Both builds have the same image of one mode, and only one has another mode.
# shellcheck disable=SC2154 # run sets out, err and rc
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/lib.sh
. tests/lib.sh
lib_images
export HARNESS_STATE=$S
quick=(--boots 2 --samples 3 --iterations 20 --warmup 0)
ask() { sqlite3 "$S/harness.db" "$1"; }
sha() { sed -n 's/.*"sha256": *"\([0-9a-f]*\)".*/\1/p' "$S/images/refs/xen/$1.json"; }
mixed=$(sha mixed)
physical=$(sha physical)
[ "${#mixed} ${#physical}" = '64 64' ] || bail 'no image of mode mixed, or of physical'

# refused NAME REGEX OPTION…
refused() {
	local name=$1 regex=$2

	shift 2
	run "$H" run --machine vlab "${quick[@]}" "$@"
	is "$rc" 2 "$name is a usage error"
	like "$err" "^harness: run: $regex" 'that says what to do'
	one_line "$name"
}
takes='--build takes NAME=IMAGE'
refused 'a build without a name' "$takes" --build "=$mixed"
refused 'a build without an image' "$takes.*not \"a=\"$" --build a=
refused 'a list with a hole' "$takes" --build "a=$mixed,,$physical"
refused 'a name in capitals' "$takes" --build "A=$mixed"
refused 'a name that is too long' '--build "abcdefghijklmnopqrstuvwx": a name has at most 23 letters$' \
	--build "abcdefghijklmnopqrstuvwx=$mixed"
refused 'a build that is there twice' '--build a is there twice; ' --build "a=$mixed" --build "a=$physical"
refused 'a fifth build' 'more than 4 --build' --build "a=$mixed" --build "b=$mixed" --build "c=$mixed" \
	--build "d=$mixed" --build "e=$mixed"
refused 'a build and a recipe' '--build names stored images, .*--image' --image xen --build "a=$mixed" --build "b=$mixed"
refused 'too few digits' "--build a: \"${mixed:0:3}\" is not an image: .* 4 or more \\(E_NOIMAGE\\)" \
	--build "a=${mixed:0:3}" --build "b=$mixed"
refused 'what is no digit' '--build b: "mixed" is not an image: ' --build "a=$mixed" --build b=mixed
refused 'an image that is not there' '--build b: no image "00000000" ' --build "a=$mixed" --build b=00000000
other=${mixed:0:40}$(printf '0%.0s' {1..24})
mkdir "$S/images/sha256/$other"
refused 'digits of two images' "--build a: \"${mixed:0:8}\" begins several images: (${mixed:0:41}|$(cut -c1-41 <<<"$other")), " \
	--build "a=${mixed:0:8}" --build "b=$mixed"
rmdir "$S/images/sha256/$other"
refused 'no mode in common' 'no two builds have images of the same mode' --build "a=$mixed" --build "b=$physical"
refused 'a mode that no build has' '--modes: no build has an image of mode physical' --build "a=$mixed" --build "b=$mixed" \
	--modes mixed,physical
is "$(ask 'select count(*) from run' 2>/dev/null)" '' 'none of these made a run'

# The images are found by few digits, in any case.
run "$H" run --machine vlab "${quick[@]}" --seed 7 --build "base=${mixed:0:12}" \
	--build "patched=${physical:0:16},$(tr a-f A-F <<<"${mixed:0:10}")"
is "$rc" 0 'a run of two builds ends with status 0'
[ "$rc" = 0 ] || note "$err"
like "$err" ' builds base,patched  modes mixed,physical  2 boots x 3 samples  seed 7$' 'it says at first what is asked'
like "$err" ' base physical SKIPPED: no image of mode physical was given$' 'and which mode a build lacks'
like "$err" 'boot 1/6 +block 1 +(base mixed|patched mixed|patched physical) +ok ' 'a boot is told by build and mode'
is "$(ask "select name || ': ' || text from run_build order by place" | sed 's/: xen [0-9].*/: its source/' | grep .)" \
	'base: its source
patched: its source' 'what its images say of their source is stored'
is "$(ask "select build || ' ' || mode || ' ' || (image is null) from run_mode order by place" | tr '\n' ';')" \
	'base mixed 0;base physical 1;patched mixed 0;patched physical 0;' 'and its pairs, build by build'
is "$(ask "select group_concat(n) from (select count(*) n from boot where outcome = 'ok' group by block, build, mode)")" \
	1,1,1,1,1,1 'each block boots each mode of each build once'
is "$(ask "select count(*) from boot join image on image = image.id where sha256 = '$mixed' and image.mode = boot.mode")" 4 \
	'the same image stands in both'
run "$H" runs
like "$out" ' base, patched: mixed, physical +6/6 ' 'harness runs names builds and modes'
run "$H" show last
like "$out" 'boot +[1-6] +place [1-6]/6 +block [12] +patched physical +ok ' 'harness show tells each boot by both'

# Again.
again=$(ask 'select again from run')
like "$again" "^harness run --machine vlab --build base=${mixed:0:16} --build patched=${mixed:0:16},${physical:0:16} --modes mixed,physical " \
	'the command that repeats it names the builds'
like "$again" ' --seed 7' 'and the seed'
# A boot each is enough to see the order.
read -ra words <<<"${again#harness } --boots 1 -q"
run "$H" "${words[@]}"
is "$rc" 0 'that command is taken'
order() { ask "select group_concat(build || ' ' || mode) from (select build, mode from boot
	where run = $1 and block = 0 and not attempt order by number)"; }
is "$(order 2)" "$(order 1)" 'and boots in the same order'
lib_done
