import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { createContext } from "../../../cli/context.js";
import { keepCheckpoint, makeCheckpoint, verifyAgainst, verifyWhole } from "../../../stages/history/checkpoint.js";
import { assert, inTemporaryFolder, test } from "../../support/test.js";
import { testWorld } from "../../cli/support/test-world.js";
import { SluiceError } from "../../../src/base/error.js";
import { openHistory } from "../../../store/history/open.js";
import { appendRecord } from "../../../store/history/write.js";
import { testSigner, writeTestBundle } from "../../support/builders-artifacts.js";
import { verifyTestBundle } from "../../support/verify-test-bundle.js";

const rounds = 12;
const program = fileURLToPath(new URL("../../support/bundle-writer-program.js", import.meta.url));

/** Lets a writer work until it has finished some bundles and begun another, then kills it. */
async function killAfter(directory: string, finished: number, turns: number): Promise<void> {
  const child = spawn(process.execPath, [program, directory], { stdio: ["ignore", "pipe", "inherit"] });
  const closed = once(child, "close");
  let seen = 0;
  for await (const line of createInterface({ input: child.stdout })) {
    assert.match(line, /^[0-9a-f]{64}$/);
    seen += 1;
    if (seen < finished) continue;
    for (let turn = 0; turn < turns; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    child.kill("SIGKILL");
  }
  await closed;
}

/** Id of a bundle that loads; null when it is refused, as everything half-written must be. */
async function loadable(directory: string): Promise<string | null> {
  try {
    return (await verifyTestBundle(directory)).bundleId;
  } catch (thrown) {
    if (thrown instanceof SluiceError) return null;
    throw thrown;
  }
}

test("case 63: a writer of bundles that is killed leaves a whole bundle or none, and the next one succeeds", () =>
  inTemporaryFolder(async (folder) => {
    const directory = join(folder, "bundle");
    for (let round = 0; round < rounds; round += 1) {
      await killAfter(directory, 1 + (round % 2), round * 40);
      if (existsSync(directory)) assert.type(await loadable(directory), "string", `round ${round}`);
      for (const name of readdirSync(folder)) assert.match(name, /^(bundle|\.bundle\.staging-[0-9a-f]{12}(\.old)?)$/);
      await writeTestBundle(directory);
      assert.type(await loadable(directory), "string");
    }
  }));

test("case 63: a checkpoint that was signed but not stored is signed again, byte for byte", () =>
  inTemporaryFolder(async (folder) => {
    const history = openHistory(join(folder, "history.db"), { create: true });
    const globals = {
      json: true,
      quiet: true,
      workspace: folder,
      actor: "audit",
      project: ".",
      workspaceGiven: true,
      initWords: null,
      vectors: undefined,
      settings: [],
    };
    const stage = { history, actor: "audit", context: createContext(testWorld(), globals, []) };
    for (const text of ["one", "two"]) {
      const record = { kind: "run", actor: "a", at: "2026-03-01T12:00:00Z" } as const;
      appendRecord(history, { ...record, record: Buffer.from(text) });
    }
    const lost = await makeCheckpoint(history, testSigner("audit"));
    const again = await makeCheckpoint(history, testSigner("audit"));
    assert.ok(lost.bytes.equals(again.bytes));
    assert.is(keepCheckpoint(stage, again), 3);
    verifyAgainst(history, lost.bytes, "lost", testSigner("audit").publicKey);
    assert.is(verifyWhole(history).entries, 3);
    history.close();
  }));
