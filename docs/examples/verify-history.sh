#!/bin/sh
# Checks history.db (a backup), checkpoint and audit.pub.pem in the current folder, without Sluice; entry=N selects the entry.
# Needs sqlite3 (3.37), jq, openssl (3.0) or later, and the GNU core utilities.
# Sluice also checks every other entry, attachments and the origin line of the checkpoint.
set -eu

# The signature of the checkpoint.
head -n 3 checkpoint > note.txt
tail -n 1 checkpoint | cut -d ' ' -f 3 | base64 -d | tail -c 64 > note.sig
openssl pkeyutl -verify -pubin -inkey audit.pub.pem -rawin -in note.txt -sigfile note.sig

# One entry: its columns are those of its body, its leaf hash is SHA-256 of a zero byte and the body, and the record has
# the digest in the body.
entry=${entry:-1}
sqlite3 history.db "SELECT writefile('body.json', body) FROM entry WHERE seq = $entry" > written.txt
sqlite3 history.db "SELECT json_object('seq', seq, 'at', at, 'kind', kind, 'actor', actor,
  'record_sha256', lower(hex(record)), 'attachments', json((SELECT json_group_array(digest) FROM
    (SELECT lower(hex(sha256)) AS digest FROM attachment WHERE seq = $entry ORDER BY sha256))))
  FROM entry WHERE seq = $entry" | jq -cjS . | cmp - body.json
leaf=$(sqlite3 history.db "SELECT lower(hex(leaf)) FROM entry WHERE seq = $entry")
test "$(printf '\000' | cat - body.json | sha256sum | cut -c 1-64)" = "$leaf"
sqlite3 history.db "SELECT writefile('record.bin', bytes) FROM blob JOIN entry ON sha256 = record WHERE seq = $entry" > written.txt
echo "$(jq -r .record_sha256 body.json)  record.bin" | sha256sum -c -

# The root over the entries of the checkpoint: pairs of hashes are joined (SHA-256 of a one byte, the left and the right one),
# level by level; a last one without a partner goes up as it is.
size=$(sed -n 2p checkpoint)
sqlite3 history.db "SELECT hex(leaf) FROM entry WHERE seq <= $size ORDER BY seq" > level.txt
test "$(wc -l < level.txt)" -eq "$size"
while test "$(wc -l < level.txt)" -gt 1; do
  while read -r left; do
    if read -r right; then
      printf '01%s%s' "$left" "$right" | basenc --base16 -d | sha256sum | cut -c 1-64 | tr a-f A-F
    else
      echo "$left"
    fi
  done < level.txt > next.txt
  mv next.txt level.txt
done
test "$(cat level.txt)" = "$(sed -n 3p checkpoint | base64 -d | basenc --base16 -w 0)"
