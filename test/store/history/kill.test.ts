import { join } from "node:path";
import { assert, inTemporaryFolder, test } from "../../support/test.js";
import { killWriter } from "../../support/history-kill.js";

test("a writer that is killed 15 times at different points loses no acknowledged entry and breaks nothing", () =>
  inTemporaryFolder(async (folder) => {
    const path = join(folder, "history.db");
    let [acknowledged, entries] = [0, 0];
    for (const [round, after] of [0, 1, 2, 3, 5, 8, 13, 21, 1, 34, 4, 9, 17, 2, 26].entries()) {
      const found = await killWriter(path, `round ${round}`, after);
      assert.is(found.lost, 0, `round ${round}`);
      assert.ok(found.acknowledged >= after, `round ${round}`);
      assert.ok(found.entries >= entries + found.acknowledged, `round ${round}`);
      acknowledged += found.acknowledged;
      entries = found.entries;
    }
    assert.ok(acknowledged >= 146);
    assert.ok(entries >= acknowledged);
  }));
