import { writeSync } from "node:fs";
import { testFiles, writeTestBundle } from "./builders-artifacts.js";

// A separate process: DIRECTORY. Exchanges two bundles in one place without end; prints the id of each that is there.
const [directory = ""] = process.argv.slice(2);
for (let round = 0; ; round += 1) {
  const files = testFiles().set("models/verifier/big.bin", Buffer.alloc(200_000, round % 2));
  writeSync(1, `${(await writeTestBundle(directory, files)).bundleId}\n`);
}
