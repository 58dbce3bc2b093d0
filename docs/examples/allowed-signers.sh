#!/bin/sh
# Writes the keys of trust.json to allowed_signers, with which OpenSSH verifies signatures.
set -eu

jq -r '.principals[] | .id as $who | .keys[] | "\($who) \(.public_key)"' trust.json | while read -r who key; do
  blob=$( { printf '\000\000\000\013ssh-ed25519\000\000\000\040'; echo "$key" | base64 -d; } | base64 -w 0)
  echo "$who namespaces=\"sluice\" ssh-ed25519 $blob"
done > allowed_signers
