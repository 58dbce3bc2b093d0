import {
  checkpointText,
  noteKeyHash,
  originOf,
  readCheckpoint,
  signatureOf,
  signedNote,
} from "../../../store/history/checkpoint.js";
import { assert, test, throws } from "../../support/test.js";

const head = { origin: originOf(Buffer.alloc(32, 0xab)), size: 12, root: Buffer.alloc(32, 5) };
const key = Buffer.alloc(32, 9);
const note = signedNote(head, key, Buffer.alloc(64, 3));
const noteText = note.toString("utf8");

test("the key hash is that of the published example of signed notes", () => {
  // PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW, from golang.org/x/mod/sumdb/note.
  const encoded = Buffer.from("ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW", "base64");
  assert.is(noteKeyHash("PeterNeumann", encoded.subarray(1)).toString("hex"), "c74f20a3");
});

test("the text is origin, size and root, a line each, and the file adds an empty line and a signature line", () => {
  const root = "BQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQU=";
  const text = `sluice.dev/history/${"ab".repeat(32)}\n12\n${root}\n`;
  assert.is(checkpointText(head).toString(), text);
  assert.ok(noteText.startsWith(`${text}\n— ${head.origin} `));
  assert.not(text.startsWith("DSSEv1 "));
});

test("what was written is read back, even next to signatures by unknown keys", () => {
  const read = readCheckpoint(Buffer.from(`${noteText}— witness.example ${"A".repeat(96)}\n`), "note");
  assert.equal({ origin: read.origin, size: read.size, root: read.root }, head);
  assert.ok(read.text.equals(checkpointText(head)));
  assert.is(read.signatures.length, 2);
  assert.ok(signatureOf(read, key)?.equals(Buffer.alloc(64, 3)));
  assert.is(signatureOf(read, Buffer.alloc(32, 8)), undefined);
});

test("a signature under another name, or of another length, is not the key's", () => {
  const renamed = readCheckpoint(Buffer.from(noteText.replace(`— ${head.origin}`, "— other")), "note");
  assert.is(signatureOf(renamed, key), undefined);
  const short = readCheckpoint(signedNote(head, key, Buffer.alloc(63)), "note");
  assert.is(signatureOf(short, key), undefined);
});

const damages: Readonly<Record<string, (text: string) => string>> = {
  "no signature": (text) => text.slice(0, text.indexOf("—")),
  "a missing last newline": (text) => text.trimEnd(),
  "a carriage return": (text) => text.replace("12\n", "12\r\n"),
  "a size with a leading zero": (text) => text.replace("\n12\n", "\n012\n"),
  "a negative size": (text) => text.replace("\n12\n", "\n-1\n"),
  "a size above 2^53": (text) => text.replace("\n12\n", "\n9007199254740993\n"),
  "a short root": (text) => text.replace("BQUF", ""),
  "an extension line": (text) => text.replace("\n\n", "\nextension\n\n"),
  "a hyphen for the em dash": (text) => text.replace("—", "-"),
  "a byte order mark": (text) => `\uFEFF\n${text}`,
  "unused bits in the base64 of the root": (text) => text.replace("BQU=", "BQV="),
  "text after the signatures": (text) => `${text}more\n`,
  "too many bytes": (text) => text + `— a ${"A".repeat(96)}\n`.repeat(700),
};
for (const [name, damage] of Object.entries(damages)) {
  test(`refused: ${name}`, () => {
    throws(() => readCheckpoint(Buffer.from(damage(noteText)), "note"), "NOT_CANONICAL");
  });
}

test("refused: bytes that are not UTF-8", () => {
  throws(() => readCheckpoint(Buffer.concat([Buffer.from([0xff]), note]), "note"), "NOT_CANONICAL");
});
