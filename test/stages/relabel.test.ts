import { appendFile, readFile, writeFile } from "node:fs/promises";
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

interface Relabelled {
  readonly rows: readonly { readonly corrected: string | null; readonly moved: boolean }[];
}

/** The text of each workflow's part of a catalog file. */
const partOf = (catalog: string, workflow: string | null): string =>
  catalog.split("- workflow_id: ").find((part) => part.startsWith(`${workflow ?? ""}\n`)) ?? "";

const rowsOf = async (file: string): Promise<readonly Row[]> =>
  (await readFile(file, "utf8"))
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Row);

/** Three rows with a workflow. */
async function threeOf(file: string): Promise<readonly [Row, Row, Row]> {
  const [first, second, third] = (await rowsOf(file)).filter(({ workflow_id: label }) => label !== null);
  if (first === undefined || second === undefined || third === undefined) throw new Error("too few rows");
  return [first, second, third];
}

/** The number of lines of a file that another one lacks. */
const changedLines = (before: readonly string[], after: string): number =>
  before.filter((line) => !after.split("\n").includes(line)).length;

test("wrong labels are corrected in one step with their examples, the rows are not tested, and the next calibration says so", () =>
  inTemporaryFolder(async (cwd) => {
    await measuredProject(cwd);
    const file = join(cwd, "shop", "requests.jsonl");
    const catalog = (): Promise<string> => readFile(join(cwd, "shop", "catalog.yaml"), "utf8");
    const rows = () => rowsOf(file);
    const spaced = (await readFile(file, "utf8")).split("\n").map((line) => line.replace('{"id":', '{ "id": '));
    await writeFile(file, spaced.join("\n"));
    const [{ id, text, workflow_id: from }, second, third] = await threeOf(file);
    const to = from === "refund_status" ? "track_order" : "refund_status";
    const both = [`${id}=${to}`, `${second.id}=none`];
    const relabel = (corrections: readonly string[]) =>
      ["dataset", "relabel", ...corrections, "--reason", "it asks for money", "-C", "shop"] as const;

    const drafted = await catalog();
    const half = await sluice(relabel([...both, "no-such=none"]), { cwd });
    assert.match(half.stderr, /no row and no example is named as in correction 3/);
    const leftOut = await sluice(relabel(["row-262=none"]), { cwd });
    assert.match(leftOut.stderr, /no row and no example is "row-262"[\s\S]*left-out\.csv/);
    assert.is(await readFile(file, "utf8"), spaced.join("\n"), "nothing is written unless all labels can be corrected");
    assert.is(await catalog(), drafted);

    assert.match((await sluice(relabel([]), { cwd })).stderr, "found no row to correct");

    const done = await succeed<Relabelled>(cwd, ...relabel(both));
    assert.equal(done.rows, [
      { id, corrected: `${id}-corrected`, from, to, moved: true },
      { id: second.id, corrected: `${second.id}-corrected`, from: second.workflow_id, to: null, moved: true },
    ]);
    const edited = await catalog();
    assert.match(partOf(edited, to), text);
    assert.is(partOf(edited, from).includes(text), false, "the example is not left behind");
    assert.is(edited.includes(second.text), false, "an example that fits no workflow is removed");
    const after = await rows();
    assert.is(after.length, spaced.length - 1 + both.length);
    assert.is(after.find((row) => row.id === id)?.withdrawn, "it asks for money");
    assert.is(after.find((row) => row.id === `${id}-corrected`)?.workflow_id, to);
    assert.equal(changedLines(spaced, await readFile(file, "utf8")), both.length, "other lines remain as they are");

    assert.is((await sluice(relabel(both), { cwd })).code, 2, "they are withdrawn already");
    assert.is((await sluice(relabel([`${third.id}=none`, `${third.id}=${to}`]), { cwd })).code, 2);
    const unknown = await sluice(relabel([`${id}-corrected=refund_statsu`]), { cwd });
    assert.match(unknown.stderr, "Did you mean refund_status?");

    const ran = await sluice(["run", "-C", "shop", "--json"], { cwd });
    assert.is(ran.code, 0, ran.stdout);
    assert.match(ran.stdout, "2 labels are withdrawn");
  }));

test("an example that is no row is moved by its text", () =>
  inTemporaryFolder(async (cwd) => {
    await measuredProject(cwd);
    const file = join(cwd, "shop", "catalog.yaml");
    const before = await readFile(file, "utf8");
    const own = before.replace(/(workflow_id: track_order[\s\S]*?examples:\n)/, "$1      - a=b, where is my money\n");
    await writeFile(file, own);
    const words = ["dataset", "relabel", "a=b, where is my money=refund_status", "--reason", "money", "-C", "shop"];
    const done = await succeed<Relabelled>(cwd, ...words);
    assert.equal(
      done.rows.map(({ corrected, moved }) => ({ corrected, moved })),
      [{ corrected: null, moved: true }],
    );
    const edited = await readFile(file, "utf8");
    assert.match(partOf(edited, "refund_status"), "a=b, where is my money");
    assert.is(partOf(edited, "track_order").includes("a=b"), false);
  }));

test("an audit prints the command that corrects an outvoted label, and one for each label of a tie", () =>
  inTemporaryFolder(async (cwd) => {
    await measuredProject(cwd);
    const file = join(cwd, "shop", "requests.jsonl");
    const [first, second] = await threeOf(file);
    const copy = ({ text }: Row, id: string): string =>
      `${JSON.stringify({ id, text: `${text}!`, workflow_id: null })}\n`;
    await appendFile(file, copy(first, "copy-1") + copy(first, "copy-2") + copy(second, "copy-3"));
    await succeed(cwd, "dataset", "import", "requests.jsonl", "--format", "jsonl", "-C", "shop");
    const { stdout } = await sluice(["dataset", "audit", "-C", "shop"], { cwd });
    const commands = stdout.split("\n").filter((line) => line.startsWith("  sluice dataset relabel"));
    assert.equal(commands, [
      `  sluice dataset relabel ${first.id}=none --reason REASON -C shop`,
      `  sluice dataset relabel copy-3=${second.workflow_id} --reason REASON -C shop`,
      `  sluice dataset relabel ${second.id}=none --reason REASON -C shop`,
    ]);
    await succeed(cwd, ...(commands[0] ?? "").trim().split(" ").slice(1));
    assert.is((await rowsOf(file)).find(({ id }) => id === `${first.id}-corrected`)?.workflow_id, null);
  }));
