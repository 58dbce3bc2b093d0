import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { dirHash1, readDirectory } from "../../src/trust/directory-hash.js";
import { writeTar } from "../../release/bundle-files/tar.js";
import { sha256Hex } from "../../src/base/sha256.js";
import { testFiles, writeTestBundle } from "./builders-artifacts.js";

/** Prints every identity of a built bundle; nothing around the process may change them. */
const folder = mkdtempSync(join(tmpdir(), "sluice-test-"));
try {
  const files = testFiles();
  for (const name of ["I1", "i2", "z", "Z2", "ä", "\u{1f600}"])
    files.set(`models/verifier/${name}.bin`, Buffer.from(name));
  const built = await writeTestBundle(join(folder, "bundle"), files);
  const { entries, files: content } = await readDirectory(built.directory);
  const parts = [
    dirHash1(entries),
    built.bundleId,
    sha256Hex(built.manifest.envelopeBytes),
    sha256Hex(writeTar(content)),
  ];
  process.stdout.write(`${parts.join("\n")}\n`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
