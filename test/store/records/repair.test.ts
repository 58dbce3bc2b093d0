import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { pullFrom, pushTo } from "../../../stages/history/exchange.js";
import { appendRecord } from "../../../store/history/write.js";
import { latestEntry, listEntries } from "../../../store/history/read.js";
import { openHistory } from "../../../store/history/open.js";
import { sluice } from "../../cli/support/sluice.js";
import { measuredProject } from "../../cli/support/small-workspace.js";
import { assert, inTemporaryFolder, rejects, test } from "../../support/test.js";

const watch = {
  signal: new AbortController().signal,
  progress: { start: () => undefined, update: () => undefined, done: () => undefined },
  clock: () => Date.parse("2026-03-01T12:00:00Z"),
};

test("a damaged record stops every command until repair quarantines it, and a pull refuses it until then", () =>
  inTemporaryFolder(async (cwd) => {
    await measuredProject(cwd);
    const file = join(cwd, "shop", "sluice-workspace", "history.db");
    const history = openHistory(file);
    const team = join(cwd, "team");
    const bo = openHistory(join(cwd, "bo.db"), { create: true });
    try {
      const good = latestEntry(history, "calibration");
      const entries = listEntries(history).length;
      const record = Buffer.from('{"schema_version":1,"target":0.1}');
      appendRecord(history, { kind: "calibration", actor: "ann", at: "2026-03-01T12:00:00Z", record });
      const stopped = await sluice(["calibrate", "show", "-C", "shop"], { cwd });
      assert.is.not(stopped.code, 0);
      assert.match(stopped.stderr, "sluice history repair");

      await mkdir(team);
      await pushTo(team, history, watch);
      const refused = await rejects(pullFrom(team, bo, watch), "DOCUMENT_INVALID");
      assert.match(refused.message, /calibration [0-9a-f]{12}/);

      const listed = await sluice(["history", "repair", "-C", "shop"], { cwd });
      assert.match(listed.stdout, /^1 damaged record$/m);
      const repaired = await sluice(["history", "repair", "--quarantine", "-C", "shop"], { cwd });
      assert.is(repaired.code, 0, repaired.stderr);
      assert.is((await sluice(["calibrate", "show", "-C", "shop"], { cwd })).code, 0);
      assert.is(latestEntry(history, "calibration")?.sha256, good?.sha256);
      assert.is(listEntries(history).length, entries + 1, "nothing else is lost, and the quarantine is an entry");
      assert.is((await sluice(["history", "verify", "-C", "shop"], { cwd })).code, 0);

      await pushTo(team, history, watch);
      const pulled = await pullFrom(team, bo, watch);
      assert.is(pulled.size, entries + 2);
      assert.is(latestEntry(bo, "calibration")?.sha256, good?.sha256);
    } finally {
      history.close();
      bo.close();
    }
  }));
