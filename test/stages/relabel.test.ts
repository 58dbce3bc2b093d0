import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { sluice } from "../cli/support/sluice.js";
import { measuredProject, succeed } from "../cli/support/small-workspace.js";
import { assert, inTemporaryFolder, test } from "../support/test.js";

interface Row {
  readonly id: string;
  readonly text: string;
  readonly workflow_id: string | null;
  readonly withdrawn?: string;
}

test("a wrong label is corrected in one step, neither row is tested, and the next calibration says so", () =>
  inTemporaryFolder(async (cwd) => {
    await measuredProject(cwd);
    const file = join(cwd, "shop", "requests.jsonl");
    const rows = async (): Promise<readonly Row[]> =>
      (await readFile(file, "utf8"))
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line) as Row);
    const spaced = (await readFile(file, "utf8")).split("\n").map((line) => line.replace('{"id":', '{ "id": '));
    await writeFile(file, spaced.join("\n"));
    const [first] = await rows();
    const { id = "", workflow_id: from } = first ?? {};
    const to = from === "refund_status" ? "track_order" : "refund_status";
    const words = ["dataset", "relabel", id, to, "--reason", "it asks for money", "-C", "shop"];
    const done = await succeed<{ corrected: string; example_of: string | null }>(cwd, ...words);
    assert.is(done.corrected, `${id}-corrected`);
    assert.is(done.example_of, from, "the drafted catalog has every text as an example");
    const lines = (await readFile(file, "utf8")).split("\n");
    assert.equal(lines.slice(2), spaced.slice(1), "only the line of the request is written");
    const after = await rows();
    assert.is(after.find((row) => row.id === id)?.withdrawn, "it asks for money");
    assert.is(after.find((row) => row.id === done.corrected)?.workflow_id, to);

    assert.is((await sluice(words, { cwd })).code, 2, "it is withdrawn already");
    const unknown = await sluice(
      ["dataset", "relabel", done.corrected, "refund_statsu", "--reason", "x", "-C", "shop"],
      {
        cwd,
      },
    );
    assert.match(unknown.stderr, "Did you mean refund_status?");
    assert.is((await sluice(["dataset", "relabel", "no-such", to, "--reason", "x", "-C", "shop"], { cwd })).code, 2);

    const ran = await sluice(["run", "-C", "shop", "--json"], { cwd });
    assert.is(ran.code, 0, ran.stdout);
    assert.match(ran.stdout, "1 label is withdrawn");
  }));
