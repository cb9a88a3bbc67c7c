#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# harness patch on real Xen in the virtual lab: a series that makes each flush three flushes is found with an interval
# that holds the 200 % that this adds; one that does nothing is not proven slower; what does not build or boot ends as it should.
# Takes many minutes, so only `make check-long` runs it.
# shellcheck disable=SC2154 # run sets out, err and rc
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/lib.sh
. tests/lib.sh
lib_images
lib_mark
# shellcheck source=tests/long/tree.sh
. tests/long/tree.sh
R=$T/xen M=$T/mail
tree "$R"
g() { git -C "$R" "$@"; }
smp=$R/xen/arch/x86/smp.c setup=$R/xen/arch/x86/setup.c
branch() { g checkout -q -f -b "$1" main; }
branch slow
slower "$R"
branch noop
sed -i 's/^void flush_area_mask(/\/* Flush here and there. *\/\n&/' "$smp"
g commit -q -a -m 'x86/smp: say what flush_area_mask() does'
branch broken
sed -i 's/^void flush_area_mask(/static unsigned int broken = no_such_thing;\n\n&/' "$smp"
g commit -q -a -m 'x86/smp: break the build'
branch hangs
sed -i 's/^    smp_prepare_cpus();$/&\n    for ( ; ; )\n        cpu_relax();/' "$setup"
g commit -q -a -m 'x86: hang at boot'
grep -q '^    for ( ; ; )$' "$setup" || bail 'start of CPUs is not as it was'
g checkout -q -f main
for b in slow noop broken hangs; do
	g format-patch -q -o "$M/$b" --base=main "main..$b"
done
printf '/* changed */\n' >>"$R/xen/common/kernel.c"
: >"$R/untracked"
snapshot() {
	find "$R" -type f ! -path '*/.git/objects/*' -printf '%p %s %T@ %i\n' | sort
	GIT_OPTIONAL_LOCKS=0 g status --porcelain=v2 --branch
	g for-each-ref
}
snapshot >"$T/before"
same() {
	snapshot >"$T/after"
	cmp -s "$T/before" "$T/after"
	ok $? "$1: files, index, refs and status of the repository are as they were"
	diff "$T/before" "$T/after" | sed 's/^/# /'
}
patch() {
	local start=$SECONDS

	# 99.9 %: this is a test, which is not to fail once in twenty times.
	run "$H" patch --machine vlab --xen "$R" --state "$S" --modes mixed --samples 8 --iterations 100 --warmup 2 \
		--conf 99.9 "$@"
	note "it took $((SECONDS - start)) s"
}

patch --boots 6 --seed 11 --attach -o "$T/slow.json" "$M"/slow/*
is "$rc" 1 'a series that slows the flush ends with status 1'
[ "$rc" = 1 ] || note "$err"
like "$(cat "$M"/slow/0001-*)" '^harness report of run ' 'and has its report'
python3 - "$T/slow.json" >"$T/found" <<'END'
import json, sys
doc = json.load(open(sys.argv[1]))
verdict = [s for b in doc["blocks"] for s in b["sets"] if s["name"] == "patched mixed" and s["verdict"]][0]["verdict"]
low, high = verdict["difference_low_pct"], verdict["difference_high_pct"]
print(f"added 200 %, found {low:.1f} to {high:.1f} %, p {verdict['p']:.2g}")
print("holds" if low <= 200 <= high else "misses")
print("narrow" if high - low < 200 else "wide")
print(verdict["kind"], doc["regression"])
END
note "$(cat "$T/found")"
like "$(cat "$T/found")" '^higher True$' 'the report calls it a regression'
like "$(cat "$T/found")" '^holds$' 'its interval holds what was added to each call'
like "$(cat "$T/found")" '^narrow$' 'and is narrower than that'
same 'a slow series'

patch --boots 6 --seed 12 -o "$T/noop.json" "$M"/noop/*
note "$(grep -E '^(base|patched) ' <<<"$err")"
like "$err" '^base .*mixed up to date' 'the same base is not built again'
out=$(python3 -c 'import json, sys
for b in json.load(open(sys.argv[1]))["blocks"]:
    for s in b["sets"]:
        if s["name"] == "patched mixed" and s["verdict"]:
            print(s["verdict"]["kind"], s["verdict"]["difference_low_pct"], s["verdict"]["difference_high_pct"])' "$T/noop.json")
note "$out"
is "$rc" 0 'a series that does nothing ends with status 0'
like "$out" '^(none|lower) ' 'and is not proven slower'

patch "$M"/broken/*
is "$rc" 4 'a series that does not build ends with status 4'
like "$err" "^harness: patched: .*smp\\.c:[0-9]+:[0-9]+: error: .*no_such_thing.*E_BUILD" 'with the first error of the compiler'

sed 's/^hypervisor  = .*/hypervisor  = 40s/; s/^idle .*/&\nretries     = 0/' targets/vlab.ini >"$T/vlab.ini"
mkdir "$T/targets"
mv "$T/vlab.ini" "$T/targets"
patch --targets "$T/targets" --boots 1 "$M"/hangs/*
is "$rc" 5 'a series that hangs at boot ends with status 5'
like "$err" 'patched mixed.*stage hypervisor.*base does.*E_HANG' 'and the line says that base does not'
note "$(grep '^harness: ' <<<"$err")"
same 'all of it'
nothing_left 'no process is left'
lib_done
