import { generateKeyPairSync } from "node:crypto";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import {
  publicKeyFromPem,
  publicKeyFromRaw,
  publicKeyToPem,
  verifiesSignature,
} from "../../../src/trust/public-key.js";
import { throws } from "../../support/rejects.js";

const test = suite("src/trust/public-key");

const hex = (text: string) => Buffer.from(text, "hex");

// RFC 8032, section 7.1, tests 1 to 3: public key, message, signature.
const rfc8032 = [
  [
    "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
    "",
    "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b",
  ],
  [
    "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
    "72",
    "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00",
  ],
  [
    "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025",
    "af82",
    "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a",
  ],
] as const;

test("the vectors of RFC 8032 verify, and changed ones do not", () => {
  for (const [key, message, signature] of rfc8032) {
    const publicKey = publicKeyFromRaw(hex(key), "key");
    assert.ok(verifiesSignature(publicKey, hex(message), hex(signature)));
    assert.not.ok(verifiesSignature(publicKey, hex(`${message}00`), hex(signature)));
  }
});

test("a signature with S + L, 63 or 65 bytes does not verify", () => {
  const [key, message, signature] = rfc8032[0];
  const publicKey = publicKeyFromRaw(hex(key), "key");
  const order = 2n ** 252n + 27742317777372353535851937790883648493n;
  const s = BigInt(`0x${hex(signature).subarray(32).reverse().toString("hex")}`) + order;
  const shifted = Buffer.from(s.toString(16).padStart(64, "0"), "hex").reverse();
  assert.not.ok(verifiesSignature(publicKey, hex(message), Buffer.concat([hex(signature).subarray(0, 32), shifted])));
  assert.not.ok(verifiesSignature(publicKey, hex(message), hex(signature).subarray(0, 63)));
  assert.not.ok(verifiesSignature(publicKey, hex(message), Buffer.concat([hex(signature), Buffer.alloc(1)])));
});

const weak = [
  `01${"00".repeat(31)}`,
  `ec${"ff".repeat(30)}7f`,
  "00".repeat(32),
  `${"00".repeat(31)}80`,
  "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
  "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85",
  "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
  "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa",
  `01${"00".repeat(30)}80`,
  `ec${"ff".repeat(31)}`,
  `ed${"ff".repeat(30)}7f`,
  `ed${"ff".repeat(31)}`,
  `ee${"ff".repeat(30)}7f`,
  `ee${"ff".repeat(31)}`,
  "ff".repeat(32),
];
for (const key of weak) {
  test(`the key ${key.slice(0, 4)}...${key.slice(-4)} is weak`, () => {
    throws(() => publicKeyFromRaw(hex(key), "key"), "KEY_INVALID");
  });
}

test("other lengths, other kinds of key and private keys are refused", () => {
  throws(() => publicKeyFromRaw(Buffer.alloc(31, 5), "key"), "KEY_INVALID");
  const p256 = generateKeyPairSync("ec", { namedCurve: "P-256" }).publicKey.export({ type: "spki", format: "pem" });
  throws(() => publicKeyFromPem(p256.toString(), "key"), "KEY_INVALID");
  throws(() => publicKeyFromPem("no key", "key"), "KEY_INVALID");
  throws(() => publicKeyFromPem("-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n", "key"), "KEY_INVALID");
  const { privateKey } = generateKeyPairSync("ed25519");
  const pem = privateKey.export({ type: "pkcs8", format: "pem" }).toString();
  const { message } = throws(() => publicKeyFromPem(pem, "key"), "KEY_IS_PRIVATE");
  assert.not.ok(message.includes(pem.split("\n")[1] ?? ""));
});

test("PEM and raw forms of a key have the same id", () => {
  const key = publicKeyFromRaw(hex(rfc8032[0][0]), "key");
  const again = publicKeyFromPem(publicKeyToPem(key), "key");
  assert.is(again.keyId, key.keyId);
  assert.ok(again.raw.equals(key.raw));
  assert.match(key.keyId, /^[0-9a-f]{64}$/);
});

test.run();
