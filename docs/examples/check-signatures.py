"""Verifies the signatures of an envelope: python3 check-signatures.py bundle/manifest.dsse.json trust.json. Needs cryptography."""

import base64, json, sys
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

envelope, trust = (json.load(open(name, encoding="utf-8")) for name in sys.argv[1:3])
body = base64.b64decode(envelope["payload"], validate=True)
kind = envelope["payloadType"].encode()
signed = b"DSSEv1 %d %s %d %s" % (len(kind), kind, len(body), body)
keys = {key["key_id"]: (person["id"], key["public_key"]) for person in trust["principals"] for key in person["keys"]}
for signature in envelope["signatures"]:
    person, public_key = keys[signature["keyid"]]
    key = Ed25519PublicKey.from_public_bytes(base64.b64decode(public_key))
    key.verify(base64.b64decode(signature["sig"]), signed)
    print("signed by", person)
