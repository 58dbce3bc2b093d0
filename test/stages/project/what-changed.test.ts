import { appendFile } from "node:fs/promises";
import { join } from "node:path";
import { targetReason, whatChanged } from "../../../stages/project/what-changed.js";
import { openWorkbench } from "../../../stages/index.js";
import { listEntries } from "../../../store/history/read.js";
import { withHistory } from "../../../store/records/session.js";
import { scoreSmallWorkspace, succeed } from "../../cli/support/small-workspace.js";
import { serviceDeskRequests } from "../../support/service-desk.js";
import { aCalibration, aClaim, aTier } from "../../support/builders.js";
import { perTier } from "../../../calibrate/per-tier.js";
import { assert, inTemporaryFolder, test } from "../../support/test.js";

test("a second calibration counts wrong routes of requests tested before and of new ones apart", () =>
  inTemporaryFolder(async (cwd) => {
    await scoreSmallWorkspace(cwd);
    const fit = () => succeed(cwd, "calibrate", "fit", "--target", "0.7", "--delta", "0.6");
    await fit();
    const outside = serviceDeskRequests().filter(({ workflow_id: id }) => id === null);
    const added = outside.slice(160, 320).map((row) => `${JSON.stringify(row)}\n`);
    await appendFile(join(cwd, "requests.jsonl"), added.join(""));
    await succeed(cwd, "dataset", "import", "requests.jsonl", "--format", "jsonl", "--catalog", "catalog.yaml");
    await succeed(cwd, "dataset", "split");
    await succeed(cwd, "eval", "run");
    await fit();
    const workbench = await openWorkbench({ folder: join(cwd, "sluice-workspace") });
    const changed = await withHistory(workbench, "read", async ({ history }) => {
      const [before, now] = listEntries(history, { kind: "calibration" });
      assert.ok(before !== undefined && now !== undefined);
      return whatChanged(history, before.sha256, now.sha256);
    });
    const [, seenWrong, seen, newWrong, fresh] =
      /; as decided now, requests tested before: (\d+) wrong of (\d+) routed; new or edited ones: (\d+) wrong of (\d+) routed$/.exec(
        changed?.text ?? "",
      ) ?? [];
    assert.ok(Number(seen) > 0 && Number(seenWrong) <= Number(seen), changed?.text);
    assert.ok(
      Number(newWrong) === Number(fresh),
      "the new requests are out of scope, so each of their routes is wrong",
    );
  }));

test("why another target is certified than before: a higher threshold, or where the former test stops", () => {
  const certified = (target: number, confidence: number) =>
    aCalibration({ claims: [aClaim({ target_risk: target })], tiers: perTier(() => aTier(confidence, 0)) });
  const [loose, strict] = [certified(0.1, 0.98), certified(0.05, 0.99)];
  const stopped_at = { errors: 2, routed: 55, upper_bound: 0.11, without: 0.04, wrong: [] };
  const stopped = {
    ...loose,
    next_step: { target_risk: 0.05, requests: null, workflows: 0, probability: 0.3, stopped_at },
  };
  assert.equal(
    [
      targetReason(loose, strict),
      targetReason(strict, stopped),
      targetReason(strict, loose),
      targetReason(loose, loose),
    ],
    [
      "; stricter now, so routed from confidence 0.99 instead of 0.98",
      "; looser now, because the test of 5% stops at 2 wrong of 55 routed",
      "",
      "",
    ],
  );
});
