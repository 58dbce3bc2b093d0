import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import { bundleFilesUnchanged } from "../../../src/trust/recheck-files.js";
import { dirHash1, readDirectory } from "../../../src/trust/directory-hash.js";
import { readRegularFile } from "../../../src/trust/read-regular-file.js";
import type { BundleProblem } from "../../../src/trust/verify/problem.js";
import { sha256Hex } from "../../../src/base/sha256.js";
import type { ErrorCode } from "../../../src/base/error-codes.js";
import { transformerFiles } from "../../../src/router/retrieval/model-files.js";
import { assert, inTemporaryFolder, rejects, test, throws } from "../../support/test.js";
import { writeTestBundle } from "../../support/builders-artifacts.js";
import { reindex } from "../../support/bundle-folder.js";
import { verifyTestBundle } from "../../support/verify-test-bundle.js";

/** The attack cases on files, numbered as in the list of attacks: 1 to 17. */

/** Registers a test on a fresh bundle that verifies before the attack. */
function attack(name: string, run: (directory: string, folder: string) => Promise<void>): void {
  test(name, () =>
    inTemporaryFolder(async (folder) => {
      const directory = join(folder, "bundle");
      await writeTestBundle(directory);
      await verifyTestBundle(directory);
      await run(directory, folder);
    }),
  );
}

async function problems(directory: string, first: ErrorCode): Promise<readonly string[]> {
  const error = await rejects(verifyTestBundle(directory), first);
  const found = error.details?.["problems"] as readonly BundleProblem[];
  return found.map(({ code, file }) => `${code} ${file}`);
}

const signedFiles = [
  "catalog.yaml",
  "calibration.json",
  "policy.json",
  "golden.json",
  "evidence/evaluation.json",
  "models/retriever/router_model.json",
  "models/retriever/weights.bin",
  "models/verifier/onnx/model.onnx",
  "models/verifier/router_model.json",
];
for (const path of signedFiles) {
  attack(
    `case 1: one flipped byte of ${path} is a mismatch that names it, with and without the index`,
    async (directory) => {
      const bytes = readFileSync(join(directory, path));
      bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] ?? 0) ^ 0x20;
      writeFileSync(join(directory, path), bytes);
      assert.equal(await problems(directory, "HASH_MISMATCH"), [`HASH_MISMATCH ${path}`]);
      reindex(directory);
      assert.equal(await problems(directory, "HASH_MISMATCH"), [`HASH_MISMATCH ${path}`]);
    },
  );
}

attack("case 2: swapped model directories are named for both roles", async (directory) => {
  const models = join(directory, "models");
  renameSync(join(models, "retriever"), join(models, "x"));
  renameSync(join(models, "verifier"), join(models, "retriever"));
  renameSync(join(models, "x"), join(models, "verifier"));
  reindex(directory);
  const found = await problems(directory, "HASH_MISMATCH");
  for (const role of ["retriever", "verifier"]) {
    assert.ok(found.includes(`HASH_MISMATCH models/${role}/router_model.json`));
    for (const code of ["FILE_MISSING", "FILE_EXTRA"]) {
      assert.ok(
        found.some((line) => line.startsWith(`${code} models/${role}/`)),
        `${code} ${role}`,
      );
    }
  }
});

attack("case 3: a file renamed within the sort order is missing and extra", async (directory) => {
  renameSync(join(directory, "models/retriever/weights.bin"), join(directory, "models/retriever/weights.bio"));
  reindex(directory);
  assert.equal(await problems(directory, "FILE_MISSING"), [
    "FILE_MISSING models/retriever/weights.bin",
    "FILE_EXTRA models/retriever/weights.bio",
  ]);
});

test("case 4: two files and one file with the joined content have different digests", () => {
  const entry = (path: string, content: string) => ({ path, size: content.length, sha256: sha256Hex(content) });
  const two = dirHash1([entry("config.json", "C"), entry("model.onnx", "W")]);
  assert.is.not(two, dirHash1([entry("config.json", "C\0model.onnx\0W")]));
  assert.is.not(two, dirHash1([entry("config.json", "C"), entry("model.onny", "W")]));
});

for (const path of ["notes.txt", "models/verifier/empty", "evidence/.hidden", ".git/HEAD", ".hidden", "approvals/x"]) {
  attack(`case 5: an added ${path} is extra, even when the index lists it`, async (directory) => {
    mkdirSync(dirname(join(directory, path)), { recursive: true });
    writeFileSync(join(directory, path), path.endsWith("empty") ? "" : "x");
    assert.equal(await problems(directory, "FILE_EXTRA"), [`FILE_EXTRA ${path}`]);
    reindex(directory);
    assert.equal(await problems(directory, "FILE_EXTRA"), [`FILE_EXTRA ${path}`]);
  });
}

for (const path of signedFiles) {
  attack(`case 6: a removed ${path} is missing`, async (directory) => {
    rmSync(join(directory, path));
    reindex(directory);
    assert.equal(await problems(directory, "FILE_MISSING"), [`FILE_MISSING ${path}`]);
  });
}

attack("case 7: a truncated and an extended file are mismatches with both sizes", async (directory) => {
  const path = join(directory, "models/verifier/onnx/model.onnx");
  const whole = readFileSync(path);
  for (const bytes of [whole.subarray(0, 5), Buffer.concat([whole, Buffer.from("more")])]) {
    writeFileSync(path, bytes);
    const { message } = await rejects(verifyTestBundle(directory), "HASH_MISMATCH");
    assert.match(message, `has ${bytes.length} bytes`);
    assert.match(message, `lists ${whole.length} bytes`);
  }
});

const linkTargets: readonly (readonly [string, string])[] = [
  ["a file inside", "golden.json"],
  ["a file outside", "/etc/hostname"],
  ["a folder", "models"],
  ["nothing", "nowhere"],
];
for (const [name, target] of linkTargets) {
  attack(`case 8: a symbolic link to ${name} is refused`, async (directory) => {
    symlinkSync(target, join(directory, "evidence", "link"));
    assert.equal(await problems(directory, "FILE_REFUSED"), ["FILE_REFUSED evidence/link"]);
  });
}

attack("case 8: a root that is a symbolic link is refused", async (directory, folder) => {
  symlinkSync(directory, join(folder, "link"));
  await rejects(verifyTestBundle(join(folder, "link")), "FILE_REFUSED");
});

attack("case 9: a file with a second name is refused, inside and outside of the bundle", async (directory, folder) => {
  linkSync(join(directory, "policy.json"), join(folder, "policy.json"));
  assert.equal(await problems(directory, "FILE_REFUSED"), ["FILE_REFUSED policy.json"]);
  rmSync(join(folder, "policy.json"));
  await verifyTestBundle(directory);
});

attack("case 10: a fifo and a socket are refused without waiting", async (directory) => {
  execFileSync("mkfifo", [join(directory, "pipe")]);
  assert.equal(await problems(directory, "FILE_REFUSED"), ["FILE_REFUSED pipe"]);
  rmSync(join(directory, "pipe"));
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(join(directory, "socket"), resolve));
  assert.equal(await problems(directory, "FILE_REFUSED"), ["FILE_REFUSED socket"]);
  await new Promise((resolve) => server.close(resolve));
});

test("case 10: a device is refused without reading it", async () => {
  await rejects(readDirectory("/dev/null"), "FILE_REFUSED");
});

const diskNames: readonly (readonly [string, Buffer])[] = [
  ["a newline", Buffer.from("a\nb")],
  ["a backslash", Buffer.from("a\\b")],
  ["an escape character", Buffer.from("a\u001bb")],
  ["invalid UTF-8", Buffer.from([0x61, 0xff])],
  ["a decomposed letter", Buffer.from("e\u0301")],
];
for (const [name, bytes] of diskNames) {
  attack(`case 11: a file name with ${name} is refused`, async (directory) => {
    writeFileSync(Buffer.concat([Buffer.from(`${directory}/`), bytes]), "x");
    const { details } = await rejects(verifyTestBundle(directory), "FILE_REFUSED");
    const [problem, ...others] = (details?.["problems"] ?? []) as readonly BundleProblem[];
    assert.match(problem?.message ?? "", /^\P{Cc}+$/u);
    assert.equal(others, []);
  });
}

attack("case 11: names that differ in letter case only are refused", async (directory) => {
  writeFileSync(join(directory, "Policy.json"), "x");
  await rejects(verifyTestBundle(directory), "FILE_REFUSED");
});

const listedNames = ["../x", "/etc/passwd", "a//b", "./a", "a/..", "a\\b", "a\nb", "e\u0301", "n".repeat(300)];
for (const path of listedNames) {
  attack(`case 11: the listed path ${JSON.stringify(path.slice(0, 12))} is refused`, async (directory) => {
    reindex(directory, [{ path: path.normalize("NFC") === path ? path : "nfd/../x", size: 1, sha256: sha256Hex("x") }]);
    await rejects(verifyTestBundle(directory), "FILE_REFUSED");
  });
}

attack("case 12: an 8 GiB sparse file is over the limit before it is read", async (directory) => {
  writeFileSync(join(directory, "sparse"), "");
  truncateSync(join(directory, "sparse"), 8 * 1024 ** 3);
  const begin = performance.now();
  assert.equal(await problems(directory, "FILE_REFUSED"), ["FILE_REFUSED sparse"]);
  assert.ok(performance.now() - begin < 2000);
});

attack("case 12: a tree 100 folders deep is over the limit", async (directory) => {
  const deep = join(directory, ...Array.from({ length: 100 }, () => "d"));
  mkdirSync(deep, { recursive: true });
  writeFileSync(join(deep, "x"), "x");
  await rejects(verifyTestBundle(directory), "FILE_REFUSED");
});

attack("case 12: more than 10,000 files are over the limit", async (directory) => {
  execFileSync("bash", ["-c", "mkdir many && cd many && touch {1..10001}"], { cwd: directory });
  await rejects(verifyTestBundle(directory), "FILE_REFUSED");
});

/** A file as it was listed, and how to read it then. */
function listed(directory: string, path: string): () => Promise<Buffer> {
  const stat = lstatSync(join(directory, path), { bigint: true });
  return () => readRegularFile(directory, path, stat);
}

attack("case 13: a file replaced between listing and opening has changed", async (directory, folder) => {
  const read = listed(directory, "policy.json");
  writeFileSync(join(folder, "new"), "forged");
  renameSync(join(folder, "new"), join(directory, "policy.json"));
  await rejects(read(), "FILE_CHANGED");
});

attack("case 13: a file written in place between listing and reading has changed", async (directory) => {
  const read = listed(directory, "policy.json");
  writeFileSync(join(directory, "policy.json"), "forged");
  await rejects(read(), "FILE_CHANGED");
});

attack(
  "case 13: a file renamed over after loading leaves the loaded bytes, and the watch reports it",
  async (directory, folder) => {
    const bundle = await verifyTestBundle(directory);
    const before = Buffer.from(bundle.policyBytes);
    assert.ok(bundleFilesUnchanged(bundle.fileStats));
    writeFileSync(join(folder, "new"), "forged");
    renameSync(join(folder, "new"), join(directory, "policy.json"));
    assert.ok(bundle.policyBytes.equals(before));
    assert.not.ok(bundleFilesUnchanged(bundle.fileStats));
  },
);

attack("case 14: a parent folder replaced by a link after listing is refused", async (directory) => {
  const read = listed(directory, "models/verifier/onnx/model.onnx");
  renameSync(join(directory, "models/verifier/onnx"), join(directory, "moved"));
  symlinkSync(join(directory, "moved"), join(directory, "models/verifier/onnx"));
  await rejects(read(), "FILE_REFUSED");
});

attack("case 15: a modification time that was set back does not hide a change", async (directory) => {
  const path = join(directory, "policy.json");
  const bundle = await verifyTestBundle(directory);
  const read = listed(directory, "policy.json");
  const { atimeMs, mtimeMs } = lstatSync(path);
  const bytes = readFileSync(path);
  writeFileSync(path, bytes);
  utimesSync(path, atimeMs / 1000, mtimeMs / 1000);
  await rejects(read(), "FILE_CHANGED");
  assert.not.ok(bundleFilesUnchanged(bundle.fileStats));
});

test("case 16: external data of a graph comes from the signed files only", () => {
  const files = new Map([
    ["onnx/model.onnx", Buffer.from("graph")],
    ["tokenizer.json", Buffer.from("{}")],
  ]);
  const model = {
    graph: "onnx/model.onnx",
    external_data: ["../../etc/hostname"],
    tokenizer: "tokenizer.json",
    max_tokens: 8,
    output: "logits",
    batching: "shared",
  } as unknown as Parameters<typeof transformerFiles>[1];
  assert.ok(existsSync("/etc/hostname"));
  const { message } = throws(() => transformerFiles(files, model, "verifier"), "MODEL_INVALID");
  assert.match(message, "../../etc/hostname");
});

/** The system's own example of a file with a size whose reading fails. */
const failing = "/sys/devices/virtual/net/lo/speed";

if (existsSync(failing)) {
  test("case 17: a failure in the middle of reading stops everything", async () => {
    const { message } = await rejects(listed("/", failing.slice(1))(), "READ_FAILED");
    assert.match(message, "speed");
  });
}

/** The superuser reads everything. */
if (process.getuid?.() !== 0) {
  attack("case 17: a file without read permission stops everything", async (directory) => {
    chmodSync(join(directory, "policy.json"), 0o000);
    await rejects(verifyTestBundle(directory), "READ_FAILED");
  });
}
