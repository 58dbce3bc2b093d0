import { mkdtempSync, rmSync } from "node:fs";
import { cp, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Calibration } from "../../src/documents/calibration.js";
import { assert, inTemporaryFolder, testWith } from "../support/test.js";
import {
  askedOn,
  clickThrough,
  inProject,
  knowing,
  labelOnPage,
  sendTo,
  smallLog,
  writeSmallLog,
} from "./support/label-on-page.js";
import { measuredProject } from "./support/small-workspace.js";
import { inWorld, jsonInWorld } from "./support/test-world.js";

interface Labelled {
  /** Folder with a project `p` whose examples are labelled, and whose test has two clicks. */
  readonly folder: string;
}

const test = testWith<Labelled>();

test.before(async (context) => {
  const folder = mkdtempSync(join(tmpdir(), "sluice-label-"));
  Object.assign(context, { folder });
  const { tools, log } = await writeSmallLog(folder);
  const made = await inWorld("init", tools, "--log", log, "--into", join(folder, "p"), "--seed", "5");
  assert.is(made.code, 0, made.stderr);
  assert.match(made.stderr, "sluice label -C");
  await labelOnPage(join(folder, "p"), async (address) => {
    const examples = await clickThrough(address, knowing, ({ phase }) => phase === "test");
    assert.match(examples.progress, /^0 wrong of 0: \d\d more without an error, or \d\d with one\.$/);
    const second = await clickThrough(address, knowing, ({ progress }) => progress.startsWith("0 wrong of 2"));
    assert.is(second.phase, "test");
  });
});

test.after(({ folder }) => rmSync(folder, { recursive: true, force: true }));

const withProject = (folder: string, use: (project: string) => Promise<void>): Promise<void> =>
  inTemporaryFolder(async (cwd) => {
    const project = join(cwd, "p");
    await cp(join(folder, "p"), project, { recursive: true });
    await use(project);
  });

interface Log {
  readonly result: {
    readonly entries: readonly { readonly kind: string; readonly actor: string; readonly seq: number }[];
  };
}
const workspaceOf = (project: string): readonly string[] => inProject(project).slice(2);
const entriesOf = async (project: string, kind: string) =>
  (await jsonInWorld<Log>("history", "log", ...workspaceOf(project), "--kind", kind)).value.result.entries;

test("a passed test becomes a claim about the routed requests of the log, with the people and their second opinions", ({
  folder,
}) =>
  withProject(folder, async (project) => {
    const { stderr } = await labelOnPage(
      project,
      async (address) => {
        const end = await clickThrough(address, knowing);
        assert.match(end.progress, /^The test is passed: at most 10% of routes are wrong; \d wrong of \d\d\.$/);
      },
      "--actor",
      "ann",
    );
    assert.match(stderr, "sluice run");
    let seconds = 0;
    await labelOnPage(
      project,
      async (address) => {
        await clickThrough(address, (asked) => {
          assert.is(asked.phase, "second");
          seconds += 1;
          return seconds === 1 ? "unsure" : knowing(asked);
        });
      },
      "--actor",
      "bo",
    );
    assert.is(seconds, 23, "ann has judged two of the 25 draws of somebody else again");
    const ran = await inWorld("run", ...inProject(project));
    assert.is(ran.code, 0, ran.stderr + ran.stdout);
    const shown = await jsonInWorld<{ readonly result: { readonly document: Calibration } }>(
      "calibrate",
      "show",
      ...workspaceOf(project),
    );
    const { claims, fit, traffic, method } = shown.value.result.document;
    const [claim] = claims;
    assert.is(claim?.certified, true);
    assert.match(
      claim?.sentence ?? "",
      /^When Sluice routes a request like those of the log, at most 10% of routes go to the wrong workflow \(95% confidence\)\. Measured on routes drawn at random from the log and judged by 2 people: \d wrong of \d\d routed \(\d(\.\d)?%\)\. Second opinions differ in 1 of 25\.$/,
    );
    const other = await inWorld("calibrate", "fit", ...workspaceOf(project), "--claim", "fixed-catalog");
    assert.match(other.stderr, "CALIBRATION_INVALID", "no other test may count the draws");
    assert.is(method, "sequential-drawn-routes");
    assert.is(fit.drawn_routes?.people, 2);
    assert.ok((traffic.expected.coverage ?? 0) >= 0.5);
  }));

test("a click is saved before the next question, and another process continues there", ({ folder }) =>
  withProject(folder, async (project) => {
    const before = await entriesOf(project, "click");
    assert.is(before.length, 17, "15 examples and 2 draws");
    await labelOnPage(project, async (address) => {
      const asked = askedOn(await (await fetch(`${address}/`)).text());
      assert.match(asked.progress, /^0 wrong of 2/);
      await sendTo(address, { token: asked.token, phase: asked.phase, row: asked.row, workflow: knowing(asked) });
      assert.is((await entriesOf(project, "click")).length, 18);
      await sendTo(address, { token: asked.token, phase: asked.phase, row: asked.row, do: "none" });
      assert.is((await entriesOf(project, "click")).length, 18, "a draw that was judged is not judged again");
    });
    assert.is((await entriesOf(project, "draw")).length, 1);
  }));

test("the latest click of a test can be withdrawn, and stays in the history", ({ folder }) =>
  withProject(folder, async (project) => {
    await labelOnPage(project, async (address) => {
      const asked = askedOn(await (await fetch(`${address}/`)).text());
      const { token, phase, row } = asked;
      const wrong = await sendTo(address, { token, phase, row, do: "none" });
      assert.match(askedOn(wrong).progress, /^1 wrong of 3/);
      const undone = askedOn(await sendTo(address, { token, do: "undo" }));
      assert.is(undone.row, row);
      assert.match(undone.progress, /^0 wrong of 2/);
    });
    assert.is((await entriesOf(project, "click")).length, 19);
  }));

test("the suggestions of a test have no order, and a form without the secret of the page is refused", ({ folder }) =>
  withProject(folder, async (project) => {
    await labelOnPage(project, async (address) => {
      const firsts = new Set<string>();
      let draws = 0;
      await clickThrough(
        address,
        (asked) => {
          draws += 1;
          if (asked.shortlist[0] === knowing(asked)) firsts.add(asked.row);
          return knowing(asked);
        },
        () => draws === 20,
      );
      assert.ok(firsts.size < 15, `the right workflow is first for ${firsts.size} of 20`);
      const [, refused] = [
        await sendTo(address, { token: "guessed", do: "undo" }),
        await fetch(`${address}/`, { method: "POST" }),
      ];
      assert.is(refused.status, 400);
    });
  }));

test("after the plan of a test, an edited catalog, seed or file of requests is refused, and so is a project without its log", ({
  folder,
}) =>
  withProject(folder, async (project) => {
    const file = join(project, "sluice.yaml");
    const yaml = await readFile(file, "utf8");
    await writeFile(file, yaml.replace(/^seed: \d+/m, "seed: 7"));
    const seeded = await inWorld("label", ...inProject(project), "--port", "0");
    assert.match(seeded.stderr, "IDENTITY_MISMATCH");
    await writeFile(file, yaml);

    const catalog = join(project, "catalog.yaml");
    const frozen = await readFile(catalog, "utf8");
    await writeFile(catalog, frozen.replace("track parcel", "track a parcel"));
    assert.match((await inWorld("label", ...inProject(project), "--port", "0")).stderr, "IDENTITY_MISMATCH");
    await writeFile(catalog, frozen);

    await labelOnPage(project, async (address) => void (await clickThrough(address, knowing)));
    const requests = join(project, "requests.jsonl");
    const clicked = await readFile(requests, "utf8");
    await writeFile(requests, clicked.replace('"workflow_id":"cancel_order"', '"workflow_id":"track_parcel"'));
    const edited = await inWorld("run", ...inProject(project));
    assert.match(edited.stderr + edited.stdout, "SPLIT_INVALID");
    await writeFile(requests, clicked);
    await writeFile(file, yaml.replace(/^log: .*\n/m, ""));
    const unlogged = await inWorld("run", ...inProject(project));
    assert.match(
      unlogged.stderr + unlogged.stdout,
      /SPLIT_INVALID: found \d+ requests drawn among the routed requests/,
    );
    await writeFile(file, yaml);
    assert.is((await inWorld("run", ...inProject(project))).code, 0);
  }));

test("a test that fails is followed by more examples and one last test", ({ folder }) =>
  withProject(folder, async (project) => {
    const phases: string[] = [];
    await labelOnPage(project, async (address) => {
      const end = await clickThrough(address, (asked) => {
        if (asked.phase !== phases.at(-1)) phases.push(asked.phase);
        return asked.phase === "test" ? "unsure" : knowing(asked);
      });
      assert.match(end.progress, "This log has no further test:");
    });
    assert.equal(phases, ["test", "example", "test"]);
    assert.is((await entriesOf(project, "draw")).length, 2);
    const ran = await inWorld("run", ...inProject(project));
    assert.is(ran.code, 0, ran.stderr);
    assert.match(ran.stdout, "No text is routed");
  }));

test("a test that fails on a log too short for another ends with what to do", () =>
  inTemporaryFolder(async (cwd) => {
    const { tools, log } = await writeSmallLog(cwd);
    const lines = (await readFile(log, "utf8")).trim().split("\n");
    await writeFile(log, lines.filter((_, at) => at % 7 < 5).join("\n"));
    const project = join(cwd, "p");
    assert.is((await inWorld("init", tools, "--log", log, "--into", project, "--seed", "5")).code, 0);
    await labelOnPage(project, async (address) => {
      const end = await clickThrough(address, (asked) => (asked.phase === "test" ? "unsure" : knowing(asked)));
      assert.match(end.progress, /without a claim: \d wrong of \d\. This log is too short for a second test:/);
    });
    assert.is((await entriesOf(project, "draw")).length, 1);
    const ran = await inWorld("run", ...inProject(project));
    assert.is(ran.code, 0, ran.stderr);
    assert.match(ran.stdout, "No text is routed");
  }));

test("examples of another system are marked and are never drawn", () =>
  inTemporaryFolder(async (cwd) => {
    const { tools, log } = await writeSmallLog(cwd);
    const project = join(cwd, "p");
    assert.is((await inWorld("init", tools, "--log", log, "--into", project, "--seed", "5")).code, 0);
    const rows = (await readFile(join(project, "log.jsonl"), "utf8"))
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as { readonly id: string; readonly text: string });
    const judge = join(cwd, "judge.jsonl");
    await writeFile(
      judge,
      rows.map(({ id, text }) => JSON.stringify({ id, predicted: smallLog.get(text) ?? "", confidence: 1 })).join("\n"),
    );
    await labelOnPage(
      project,
      async (address) => {
        const asked = askedOn(await (await fetch(`${address}/`)).text());
        assert.is(asked.phase, "test", "no example is left to ask");
        await clickThrough(address, knowing);
      },
      "--judge",
      judge,
    );
    assert.is((await inWorld("run", ...inProject(project))).code, 0);
    const written = (await readFile(join(project, "requests.jsonl"), "utf8"))
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as { readonly slices?: Record<string, string> });
    const marked = written.filter(({ slices }) => slices?.["labelled_by"] === "another system").length;
    assert.is(marked, Math.ceil(rows.length / 2));
    assert.ok(written.length > marked + 30);
  }));

test("declined texts become examples and test no claim; texts of the project are not asked, nor none twice", () =>
  inTemporaryFolder(async (cwd) => {
    await measuredProject(cwd);
    const project = join(cwd, "shop");
    const requests = await readFile(join(project, "requests.jsonl"), "utf8");
    const [known] = requests.split("\n");
    const declined = join(cwd, "declined.jsonl");
    const texts = ["where does my box stay", "sing a song for me", "my box has not come yet"];
    await writeFile(declined, [known, ...texts.map((text) => JSON.stringify({ request_id: "r", text }))].join("\n"));
    const workflow = "track_order";
    const { stdout } = await labelOnPage(
      project,
      async (address) => {
        const asked = askedOn(await (await fetch(`${address}/`)).text());
        assert.match(asked.progress, /^0 texts labelled, 3 left\./);
        await sendTo(address, { token: asked.token, phase: asked.phase, row: asked.row, do: "unsure" });
        await sendTo(address, { token: asked.token, do: "undo" });
        const left = await clickThrough(
          address,
          ({ text }) => (text === texts[1] ? "none" : workflow),
          ({ progress }) => progress.startsWith("2 texts"),
        );
        assert.is(left.phase, "example");
      },
      declined,
    );
    assert.match(stdout, /^[12] examples? added to the catalog$/m);
    await labelOnPage(
      project,
      async (address) => {
        const end = await clickThrough(address, ({ text }) => (text === texts[1] ? "none" : workflow));
        assert.match(end.progress, /^3 texts labelled, 0 left\./);
      },
      declined,
    );
    const catalog = await readFile(join(project, "catalog.yaml"), "utf8");
    assert.equal(
      texts.map((text) => catalog.includes(`- ${text}\n`)),
      [true, false, true],
    );
    assert.is(await readFile(join(project, "requests.jsonl"), "utf8"), requests);
    const ran = await inWorld("run", ...inProject(project));
    assert.is(ran.code, 0, ran.stderr + ran.stdout);
    const both = await inWorld("label", declined, "--judge", declined, ...inProject(project));
    assert.is(both.code, 2);
  }));
