#!/bin/sh
# Checks the signatures and digests of bundle/ in the current folder against trust.json, without Sluice.
# Needs openssl (3.0 or later), jq and the GNU core utilities. For an approval: envelope=bundle/approvals/NAME.dsse.json
# Sluice also checks dates, roles, counts, unlisted files, links, weak keys, and JSON that two programs could read differently.
set -eu

# The bytes that were signed (DSSE v1): DSSEv1, length and text of the type, length and bytes of the payload.
envelope=${envelope:-bundle/manifest.dsse.json}
jq -j .payload "$envelope" | base64 -d > payload.json
jq -j .payloadType "$envelope" > type.txt
printf 'DSSEv1 %d %s %d ' "$(wc -c < type.txt)" "$(cat type.txt)" "$(wc -c < payload.json)" | cat - payload.json > signed.bin
jq -j '.signatures[0].sig' "$envelope" | base64 -d > signature.bin

# The key in the trust policy: the fixed prefix of Ed25519 in front of its 32 bytes. Its digest is the key id.
key_id=$(jq -r '.signatures[0].keyid' "$envelope")
jq -r --arg id "$key_id" '.principals[].keys[] | select(.key_id == $id) | .public_key' trust.json | base64 -d > key.raw
printf '\060\052\060\005\006\003\053\145\160\003\041\000' | cat - key.raw > key.der
echo "$key_id  key.der" | sha256sum -c -

# The signature, whose key it is, and what was signed.
openssl pkeyutl -verify -pubin -keyform DER -inkey key.der -rawin -in signed.bin -sigfile signature.bin
jq -r --arg id "$key_id" '.principals[] | select(any(.keys[]; .key_id == $id)) | "signed by \(.id)"' trust.json
jq '.predicate | {producer, approver, decision, environment, not_before, expires}' payload.json

# The bundle id is the digest of the manifest's payload; each approval names it as its subject.
jq -j .payload bundle/manifest.dsse.json | base64 -d > manifest.json
bundle_id=$(jq -r .bundle_id bundle/bundle.json)
echo "$bundle_id  manifest.json" | sha256sum -c -
for approval in bundle/approvals/*.dsse.json; do
  test "$(jq -r .payload "$approval" | base64 -d | jq -r '.subject[0].digest.sha256')" = "$bundle_id"
done

# Every file against bundle.json, and the documents against the signed manifest.
jq -r '.files[] | "\(.sha256)  \(.path)"' bundle/bundle.json > files.txt
jq -r '.predicate | "\(.catalog.sha256)  catalog.yaml", "\(.calibration.sha256)  calibration.json",
  "\(.policy.sha256)  policy.json", "\(.golden.sha256)  golden.json",
  (.vectors | select(.) | "\(.sha256)  index/vectors")' manifest.json >> files.txt
(cd bundle && sha256sum -c --quiet - < ../files.txt)

# The directory digest of each model.
for model in retriever verifier; do
  digest=$(cd "bundle/models/$model" && find . -type f -print0 | cut -z -c3- | LC_ALL=C sort -z | xargs -0 sha256sum -- | sha256sum)
  test "${digest%% *}" = "$(jq -r ".predicate.$model.dir_hash1" manifest.json)"
done
