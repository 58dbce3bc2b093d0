import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import * as assert from "uvu/assert";
import { seededRandom } from "../../src/base/numbers/seeded-random.js";
import { pullFrom, pushTo } from "../../stages/history/exchange.js";
import { type History, openHistory } from "../../store/history/open.js";
import { verifyHistory } from "../../store/history/verify.js";
import { appendRecord } from "../../store/history/write.js";
import { silentProgress } from "../../store/step-progress.js";

export const watch: Parameters<typeof pushTo>[2] = {
  signal: new AbortController().signal,
  progress: silentProgress,
  clock: () => new Date().getTime(),
};
const program = fileURLToPath(new URL("./history-push-program.js", import.meta.url));

/** Appends records with an attachment that all share, and one each. */
export function writeRecords(history: History, who: string, records: number, size = 10): void {
  for (let i = 0; i < records; i += 1) {
    appendRecord(history, {
      kind: "report",
      actor: who,
      at: "2026-03-01T12:00:00Z",
      record: Buffer.from(`${who} ${i}`.padEnd(size, who)),
      attachments: [Buffer.from("shared by all".padEnd(1000)), Buffer.from(`of ${who} ${i}`)],
    });
  }
}

/** Pushes in a separate process, which is killed once it has written a number of entries. */
function killedPush(path: string, folder: string, after: number): Promise<string> {
  const child = spawn(process.execPath, [program, path, folder], { stdio: ["ignore", "pipe", "inherit"] });
  let printed = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    printed += text;
    if (printed.split("\n").length > after) child.kill("SIGKILL");
  });
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", () => resolve(printed));
  });
}

/**
 * Kills pushes of one history at random points. After each kill the folder has a whole history, at least as long as before;
 * after them the rest follows.
 * @returns entries that were there after the kills
 */
export async function pushWithKills(
  folder: string,
  { kills, entries, seed }: { readonly kills: number; readonly entries: number; readonly seed: number },
): Promise<number> {
  const [ann, bo] = ["ann", "bo"].map((name) => openHistory(join(folder, `${name}.db`), { create: true }));
  if (ann === undefined || bo === undefined) throw new RangeError("two histories");
  const team = join(folder, "team");
  writeRecords(ann, "ann", entries, 20_000);
  const random = seededRandom(seed);
  let there = 0;
  for (let kill = 0; kill < kills; kill += 1) {
    const printed = await killedPush(ann.path, team, random.integer(1, 10));
    assert.not.match(printed, "error");
    if (!existsSync(join(team, "entries"))) continue;
    const { size } = await pullFrom(team, bo, watch).catch(() => ({ size: 0 }));
    assert.ok(size >= there, "an entry that was there is there");
    there = size;
    assert.is(verifyHistory(bo).entries, size);
  }
  assert.is((await pushTo(team, ann, watch)).entries, entries - there);
  await pullFrom(team, bo, watch);
  assert.equal(verifyHistory(bo), verifyHistory(ann));
  for (const history of [ann, bo]) history.close();
  return there;
}
