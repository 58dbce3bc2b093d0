import { appendFile } from "node:fs/promises";
import { join } from "node:path";
import { whatChanged } from "../../../stages/project/what-changed.js";
import { openWorkbench } from "../../../stages/index.js";
import { listEntries } from "../../../store/history/read.js";
import { withHistory } from "../../../store/records/session.js";
import { scoreSmallWorkspace, succeed } from "../../cli/support/small-workspace.js";
import { serviceDeskRequests } from "../../support/service-desk.js";
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
