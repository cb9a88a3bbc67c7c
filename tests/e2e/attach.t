#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# A stored run's report in a patch, in a git note, in an answer that three readers take apart, and sent to a
# real mail server with STARTTLS.
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/lib.sh
. tests/lib.sh
DRIVER=$(realpath "${BUILD:-build}/tests/tools/store_driver")
[ -x "$DRIVER" ] || bail "no $DRIVER: make e2e builds it"
/usr/bin/python3 -c 'import aiosmtpd' || bail 'python3-aiosmtpd must be installed'
command -v mutt >/dev/null || bail 'mutt must be installed'
TOOLS=$(realpath tests/tools)
mkdir "$S" "$T/home"
export HOME=$T/home GIT_CONFIG_NOSYSTEM=1 GIT_CONFIG_GLOBAL=$T/home/none PEER_PASSWORD=hunter2-of-the-peer
"$DRIVER" "$S" 7f3a boots=3 cpu='Prozessor für Öfen' || bail store_driver
"$DRIVER" "$S" 8b2c boots=3 slower=2 || bail store_driver
UUID=7f3a0000-0000-4000-8000-000000000000

# Mail servers, which come up in the meantime.
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=peer \
	-addext 'subjectAltName=IP:127.0.0.1,DNS:x.localhost' -keyout "$T/key" -out "$T/cert" 2>/dev/null || bail openssl
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=other \
	-addext 'subjectAltName=DNS:other.example' -keyout "$T/other-key" -out "$T/other-cert" 2>/dev/null || bail openssl
"$TOOLS/smtp_peer.py" "$T" open tls wrong login cut cut-end hang full 2>"$T/peer-err" &
peer=$!
end_peer() {
	kill "$peer"
	wait "$peer"
} 2>/dev/null
lib_at_exit end_peer

# attach ARG…: the command over these runs
attach() { run "$H" attach --state "$S" "$@"; }
# refused STATUS REGEX NAME: so ended the command before, in one line
refused() {
	is "$rc" "$1" "$3: status $1"
	one_line "$3"
	like "$err" "^harness: $2" "$3: it says so"
}
# rows QUERY: what the store says
rows() { sqlite3 "$S/harness.db" "$1"; }

# A repository with a commit, as a patch file.
git init -q "$T/repo"
git -C "$T/repo" config user.name 'Änn Author'
git -C "$T/repo" config user.email ann@example.org
printf 'a\nb\n' >"$T/repo/file"
git -C "$T/repo" add file
git -C "$T/repo" commit -qm first
printf 'a\nc\n' >"$T/repo/file"
git -C "$T/repo" commit -qam 'file: change b' -m 'It was wrong.' -m 'Signed-off-by: Änn Author <ann@example.org>'
git -C "$T/repo" format-patch -q -1 -o "$T" --to='Xen <xen-devel@example.org>' --cc='"Smith, J." <js@example.com>' \
	--thread --cover-letter
P=$T/0001-file-change-b.patch
COVER=$T/0000-cover-letter.patch
cp "$P" "$T/original.patch"
git -C "$T/repo" reset -q --hard HEAD~1
# am: what git makes of the patch: "MESSAGE", then "applies" when the file is right
am() {
	git -C "$T/repo" am -q "$P" >/dev/null 2>&1 || { git -C "$T/repo" am --abort; echo 'git am failed'; return; }
	git -C "$T/repo" log -1 --format=%B
	[ "$(tail -n 1 "$T/repo/file")" = c ] && echo applies
	git -C "$T/repo" reset -q --hard HEAD~1
}

# In the patch.
plain=$(am)
like "$plain" '^applies$' 'the patch applies'
attach 7f3a --patch "$P"
is "$rc" 0 'the report goes into a patch'
"$H" report 7f3a --state "$S" --format mail >"$T/report.txt"
is "$(sed '1,/^---$/d' "$P" | sed -n "1,/^end of the harness report\$/p" | sed '1d;$d')" "$(cat "$T/report.txt")" \
	'below --- it is the report of 72 columns'
like "$(cat "$P")" "^harness report of run $UUID\$" 'and says of which run'
is "$(am)" "$plain" 'git am takes the same commit from it'
cp "$P" "$T/once"
attach 7f3a --patch "$P"
ok "$(cmp -s "$P" "$T/once"; echo $?)" 'twice gives the same bytes'
attach 8b2c --patch "$P"
like "$(cat "$P")" '^harness report of run 8b2c0000' 'another run'
is "$(grep -c '^harness report of run' "$P")" 1 'takes the place of the first'
attach 7f3a --patch "$P" --in-message
like "$(am)" "^harness report of run $UUID\$" 'in the message when that is asked for'
like "$(am)" '^applies$' 'and the patch still applies'
is "$(am | grep -v '^applies$' | git interpret-trailers --parse)" 'Signed-off-by: Änn Author <ann@example.org>' 'trailers stay trailers'
attach 7f3a --patch "$P"
ok "$(cmp -s "$P" "$T/once"; echo $?)" 'and below --- again: the same bytes as at first'
sed 's/$/\r/' "$T/original.patch" >"$P"
attach 7f3a --patch "$P"
is "$(grep -vc $'\r$' "$P")" 0 'lines of a CRLF file all end in CRLF'
chmod 640 "$P"
attach 8b2c --patch "$P"
is "$(stat -c %a "$P")" 640 'the mode of the file stays'
cat "$T/original.patch" "$T/original.patch" >"$P"
attach 7f3a --patch "$P"
refused 2 '.*more than one mail.*\(E_ATTACH\)$' 'a file of two patches'
attach 7f3a --patch "$T/none"
refused 2 '.*none' 'a file that is not there'

# As a note: of all refs only the one changes, and of the rest nothing.
everything() {
	git -C "$T/repo" for-each-ref | grep -v refs/notes/harness
	git -C "$T/repo" status --porcelain=v2 --branch
	(cd "$T/repo" && sha256sum file .git/HEAD .git/index .git/config)
}
before=$(everything)
attach 7f3a --note HEAD --repo "$T/repo"
is "$rc" 0 'the report becomes a note'
is "$(git -C "$T/repo" notes --ref=harness show HEAD | sed '1,2d')" "$(cat "$T/report.txt")" 'git shows it'
tip=$(git -C "$T/repo" rev-parse refs/notes/harness)
attach 7f3a --note HEAD --repo "$T/repo"
is "$(git -C "$T/repo" rev-parse refs/notes/harness)" "$tip" 'twice changes nothing'
attach 8b2c --note HEAD --repo "$T/repo"
like "$(git -C "$T/repo" notes --ref=harness show HEAD)" 'run 8b2c' 'another run takes its place'
is "$(everything)" "$before" 'nothing else of the repository has changed'
attach 7f3a --note nothing --repo "$T/repo"
refused 2 '.*no commit "nothing".*\(E_REV\)$' 'a revision that is none'

# An answer to a file: to the cover letter, in three readers.
attach 7f3a --reply "$COVER" --from 'Läb <lab@example.org>' -o "$T/answer.eml"
is "$rc" 0 'an answer is written'
is "$err" '' 'without a word'
"$H" report 7f3a --state "$S" --json >"$T/report.json"
is "$(/usr/bin/python3 "$TOOLS/mail_read.py" "$T/answer.eml" "$COVER" "$T/report.txt" "$T/report.json")" '' \
	"Python's email reads it, and it is right"
git -C "$T/repo" mailinfo -k "$T/msg" "$T/diff" <"$T/answer.eml" >"$T/info"
is "$(sed -n 's/^Author: //p;s/^Email: //p' "$T/info" | paste -sd' ')" 'Läb lab@example.org' 'git mailinfo reads its sender'
like "$(cat "$T/info")" '^Subject: Re: \[PATCH 0/1\]' 'and its subject'
like "$(cat "$T/msg" "$T/diff")" 'Prozessor für Öfen' 'and its text'
attach 7f3a --reply "$COVER" --from 'Läb <lab@example.org>'
is "$(grep -v '^Date: ' <<<"$out")" "$(grep -v '^Date: ' "$T/answer.eml")" 'again it is the same but for its Date'
# mutt, on a terminal: a box with the thread and a stranger; from the answer to its parent.
for f in "$COVER" "$T/original.patch"; do cat "$f"; done >"$T/box"
{
	printf 'From a Mon Nov 30 00:00:00 2026\nFrom: z@example.org\nSubject: other\nMessage-ID: <other@x>\n\nx\n\n'
	printf 'From lab Mon Nov 30 23:59:59 2026\n'
	cat "$T/answer.eml"
} >>"$T/box"
printf '%s\n' 'set sort=threads wait_key=no pipe_decode=yes' 'set charset=utf-8 folder=/ confirmappend=no' \
	'set mail_check=0 timeout=60 mbox_type=mbox quit=yes delete=no move=no' >"$T/muttrc"
printf '%s\n' "push \"<search>~i harness<enter><pipe-message>cat >$T/mutt-text<enter><view-attachments><last-entry><pipe-entry>cat >$T/mutt-json<enter><exit><parent-message><pipe-message>cat >$T/mutt-parent<enter><exit>\"" >>"$T/muttrc"
TERM=xterm LC_ALL=C.UTF-8 timeout 60 script -qec "mutt -F $T/muttrc -R -f $T/box" /dev/null >"$T/mutt-screen" 2>&1 </dev/null
like "$(cat "$T/mutt-text")" 'Prozessor für Öfen' 'mutt reads its text'
is "$(cat "$T/mutt-json")" "$(cat "$T/report.json")" 'mutt takes out its attachment'
like "$(cat "$T/mutt-parent")" '^Subject: \[PATCH 0/1\]' 'mutt shows it below the cover letter'
# The patch itself in an mbox, from which b4 and others make series: its first mail is answered.
cat "$T/original.patch" "$COVER" >"$T/series.mbox"
attach 7f3a --reply "$T/series.mbox" --from lab@example.org -o "$T/second.eml"
like "$(cat "$T/second.eml")" '^Subject: Re: \[PATCH 1/1\] file: change b' 'of an mbox the first mail is answered'
printf 'From: a@b.c\nSubject: x\n\nx\n' >"$T/anonymous"
attach 7f3a --reply "$T/anonymous" --from lab@example.org
refused 2 '.*no Message-ID.*\(E_MAIL\)$' 'a mail without a Message-ID'
is "$out" '' 'and there is no answer'

# Mail servers.
# server MODE: its URL in $url
server() {
	until [ -s "$T/$1/port" ]; do
		kill -0 "$peer" 2>/dev/null || bail "no mail server: $(cat "$T/peer-err")"
		sleep 0.05
	done
	url=smtp://127.0.0.1:$(cat "$T/$1/port")
}
# mail FILE NAME [HEADER…]: an original of its own, so that it has not been answered yet
mail() {
	printf '%s\n' 'From: A <a@example.org>' 'To: b@example.org' "Message-ID: <$2@example.org>" "${@:3}" "Subject: $2" '' x >"$1"
}
send() { attach 7f3a --from 'Läb <lab@example.org>' --send --yes "$@"; }

server tls
tls=$url
send --reply "$COVER" --smtp "$tls" --ca "$T/cert" -vv
is "$rc" 0 'a server with STARTTLS takes it'
like "$err" 'sent to ann@example.org, xen-devel@example.org, js@example.com \(250 taken as 1\)' 'and it is told to whom'
is "$(/usr/bin/python3 -c 'import json, sys; e = json.load(open(sys.argv[1])); print(e["from"], *e["to"], e["tls"])' "$T/tls/1.json")" \
	'lab@example.org ann@example.org xen-devel@example.org js@example.com True' 'the envelope is right, and it came by TLS'
is "$(/usr/bin/python3 "$TOOLS/mail_read.py" "$T/tls/1.eml" "$COVER" "$T/report.txt" "$T/report.json")" '' \
	'what came is the answer, byte for byte'
is "$(rows 'SELECT state, words FROM sent')" 'sent|250 taken as 1' 'the store has it'
send --reply "$COVER" --smtp "$tls" --ca "$T/cert"
refused 2 'run 7f3a0000 was sent as an answer to .*--again.*\(E_SENT\)$' 'a second time'
attach 7f3a --from 'X <x@other.example>' --send --yes --reply "$COVER" --smtp "$tls" --ca "$T/cert"
is "$rc" 2 'from another sender it is a second time, too'
ok "$([ ! -e "$T/tls/2.eml" ]; echo $?)" 'the server has seen no second one'
send --reply "$COVER" --smtp "$tls" --ca "$T/cert" --again
is "$rc" 0 'on demand it is sent again'
is "$(sed -n 's/^Message-ID: //Ip' "$T/tls/1.eml")" "$(sed -n 's/^Message-ID: //Ip' "$T/tls/2.eml")" 'with the same Message-ID'

# Certificates, and servers without TLS.
mail "$T/m" untrusted
send --reply "$T/m" --smtp "$tls"
refused 3 '.*certificate is not trusted.*\(E_SMTP\)$' 'a certificate of an unknown CA'
server wrong
send --reply "$T/m" --smtp "$url" --ca "$T/other-cert"
refused 3 '.*certificate is not trusted.*\(E_SMTP\)$' 'a certificate of another host'
ok "$([ ! -e "$T/wrong/1.eml" ]; echo $?)" 'the server has got nothing'
is "$(rows "SELECT DISTINCT state FROM sent WHERE original = '<untrusted@example.org>'")" refused 'the store says that it was not sent'
server open
open=$url
send --reply "$T/m" --smtp "${open/127.0.0.1/x.localhost}"
refused 3 '.*offers no STARTTLS.*\(E_SMTP\)$' 'a server without STARTTLS on what may be another host'
ok "$([ ! -e "$T/open/1.eml" ]; echo $?)" 'has got nothing'
send --reply "$T/m" --smtp "$open"
is "$rc" 0 'on loopback it may be without, and what was refused before is sent'
send --reply "$T/m" --smtp "$open"
is "$rc" 2 'once'

# Recipients.
mail "$T/m" recipients 'Cc: refused@example.org, c@example.org, masked@...'
send --reply "$T/m" --smtp "$open"
refused 3 '.*refuses the recipient <refused@example.org>: 550 5.1.1 nobody of that name here \(E_SMTP\)$' 'a refused recipient'
ok "$([ ! -e "$T/open/2.eml" ]; echo $?)" 'and nobody has got it'
send --reply "$T/m" --smtp "$open" --except Refused@example.org
is "$rc" 0 'without that one it is sent'
like "$err" 'left out, since it is no mail address: masked@\.\.\.' 'a masked address is left out, and told'
is "$(/usr/bin/python3 -c 'import json, sys; print(*json.load(open(sys.argv[1]))["to"])' "$T/open/2.json")" \
	'a@example.org b@example.org c@example.org' 'to the others'

# A server that says no at the end, and lost connections.
server full
mail "$T/m" full
send --reply "$T/m" --smtp "$url"
refused 3 '.*refuses the mail: 452 4.3.1 no room.*\(E_SMTP\)$' 'a server without room'
send --reply "$T/m" --smtp "$open"
is "$rc" 0 'another one takes it'
server cut-end
mail "$T/m" cut-end
send --reply "$T/m" --smtp "$url"
refused 3 '.*it may have been sent \(E_SMTP\)$' 'a connection lost after the whole mail'
send --reply "$T/m" --smtp "$open"
refused 2 '.*may have been sent .*--again.*\(E_SENT\)$' 'then it is not sent a second time'
send --reply "$T/m" --smtp "$open" --again
is "$rc" 0 'but on demand'
# So large that no buffer on the way takes all of it.
"$DRIVER" "$S" 0b16 boots=250 samples=60 || bail store_driver
server cut
mail "$T/m" cut
attach 0b16 --reply "$T/m" --from lab@example.org --send --yes --smtp "$url"
is "$rc" 3 'a connection lost in the middle of the mail'
one_line 'in the middle'
unlike "$err" 'may have been sent' 'for certain nobody has got it'
is "$(rows "SELECT state FROM sent WHERE original = '<cut@example.org>'")" refused 'the store says so'
url=smtp://127.0.0.1:$(free_port tcp)
mail "$T/m" nobody
send --reply "$T/m" --smtp "$url"
refused 3 '.*[Cc]onnect.*\(E_SMTP\)$' 'no server at all'

# Killed while the server has the mail and says nothing.
server hang
mail "$T/m" killed
"$H" attach 7f3a --state "$S" --from lab@example.org --send --yes --reply "$T/m" --smtp "$url" 2>/dev/null &
pid=$!
until [ -e "$T/hang/hanging" ]; do
	kill -0 "$pid" 2>/dev/null || bail 'the sender has ended'
	sleep 0.05
done
kill -9 "$pid"
wait "$pid" 2>/dev/null
send --reply "$T/m" --smtp "$open"
refused 2 '.*may have been sent .*\(E_SENT\)$' 'after a kill in the middle'

# Logins: the password is seen nowhere.
server login
login=$url
printf '%s\n' "$PEER_PASSWORD" >"$T/password"
mail "$T/m" login
send --reply "$T/m" --smtp "$login" --ca "$T/cert" --user lab --password-file "$T/password"
refused 2 '.*can be read by others.*\(E_SECRET\)$' 'a password file that others can read'
chmod 600 "$T/password"
printf 'wrong\n' >"$T/password-wrong"
chmod 600 "$T/password-wrong"
send --reply "$T/m" --smtp "$login" --ca "$T/cert" --user lab --password-file "$T/password-wrong" -vv
refused 3 '.*refuses the login of lab: 535.*\(E_SMTP\)$' 'a wrong password'
for how in file env command; do
	case $how in
	file) from=$T/password ;;
	env) from=PEER_PASSWORD ;;
	command) from="cat $T/password" ;;
	esac
	mail "$T/m" "login-$how"
	send --reply "$T/m" --smtp "$login" --ca "$T/cert" --user lab "--password-$how" "$from" -vv
	is "$rc" 0 "a login with a password from: $how"
	unlike "$out$err" "$PEER_PASSWORD" "$how: it is not said"
done
ok "$([ ! -e "$T/login/seen" ]; echo $?)" 'no process had it on its command line'
ok "$(! grep -q "$PEER_PASSWORD" "$S"/harness.db*; echo $?)" 'nor has the store'
mail "$T/m" anonymous
send --reply "$T/m" --smtp "$login" --ca "$T/cert"
refused 3 '.*refuses the mail: 530.*\(E_SMTP\)$' 'a server that wants a login'

# Asking: on a terminal, or not at all.
mail "$T/m" asked
attach 7f3a --from lab@example.org --send --reply "$T/m" --smtp "$open"
refused 2 '.*no terminal.*--yes' 'without a terminal and --yes'
cat >"$T/terminal.py" <<'END'
import os, pty, sys
said, answered = b"", False
pid, fd = pty.fork()
if not pid:
    os.execv(sys.argv[2], sys.argv[2:])
while True:
    try:
        got = os.read(fd, 4096)
    except OSError:
        break
    if not got:
        break
    said += got
    if not answered and b"[y/N]" in said:
        os.write(fd, sys.argv[1].encode() + b"\n")
        answered = True
print(said.decode())
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
END
# asked ANSWER: on a terminal, which says it when it is asked; $out, $rc
asked() {
	run /usr/bin/python3 "$T/terminal.py" "$1" "$H" attach 7f3a --state "$S" --from lab@example.org --send --reply "$T/m" \
		--smtp "$open"
}
n=$(find "$T/open" -name '*.eml' | wc -l)
asked n
is "$rc" 130 'who says no'
like "$out" 'to +a@example.org, b@example.org' 'is asked with all recipients before them'
like "$out" 'nothing was sent' 'and nothing is sent'
is "$(find "$T/open" -name '*.eml' | wc -l)" "$n" 'indeed'
asked y
is "$rc" 0 'who says yes'
is "$(find "$T/open" -name '*.eml' | wc -l)" $((n + 1)) 'has sent it'

# Words that do not fit together.
while IFS='|' read -r args why; do
	# shellcheck disable=SC2086 # words
	attach $args
	refused 2 "attach: .*$why" "attach $args"
done <<'END'
7f3a|where to
7f3a --in-message --note HEAD|--in-message goes with --patch
7f3a --repo . --patch x|--repo goes with --note
7f3a --send|--reply MAIL is missing
7f3a --reply x|--from ADDRESS
7f3a --reply x --from a@b.c --smtp smtp://x|--send is missing
7f3a --reply x --from a@b.c --send --yes|--smtp URL
7f3a --reply x --from a@b.c --send --yes --smtp http://x|no address of a mail server
7f3a --reply x --from a@b.c --send --yes --smtp smtp://x --user u|go together
7f3a --reply x --from a@b.c --send --yes --smtp smtp://x --plain|on this host only
7f3a --reply x --from a@b.c --send --yes --smtp smtp://u:pw@x|has a user in it
7f3a more --patch x|unexpected "more"
END
cp "$T/original.patch" "$T/kept.eml"
attach 7f3a --reply "$T/kept.eml" --from a@b.c -o "$T/kept.eml"
refused 2 'attach: .*kept\.eml is the mail that is answered' 'an answer in place of its original'
cmp -s "$T/original.patch" "$T/kept.eml"
ok $? 'which is still there'
"$DRIVER" "$S" 9d1e boots=1 ended=0 || bail store_driver
attach 9d1e --patch "$T/original.patch"
refused 2 'run 9d1e has not ended' 'a run that goes on'
lib_done
