import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { cp, mkdir, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Calibration, statementOf } from "../../src/documents/calibration.js";
import type { WorkflowId } from "../../src/documents/primitives.js";
import { withExamples } from "../../stages/catalog/edit-catalog.js";
import { assert, inTemporaryFolder, packageRoot, testWith } from "../support/test.js";
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
  /** Folder with a project `p` whose examples are labelled, and whose test has two clicks; in `passed`, the same after its test. */
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
  await mkdir(join(folder, "passed"));
  await cp(join(folder, "p"), join(folder, "passed", "p"), { recursive: true });
  await passTest(join(folder, "passed", "p"));
});

/** Ann clicks to the end of the test; bo judges again what others judged, and is unsure once; the project runs. */
async function passTest(project: string): Promise<void> {
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
}

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
  withProject(join(folder, "passed"), async (project) => {
    const shown = await jsonInWorld<{ readonly result: { readonly document: Calibration } }>(
      "calibrate",
      "show",
      ...workspaceOf(project),
    );
    const { claims, fit, traffic, method } = shown.value.result.document;
    const [claim] = claims;
    assert.is(claim?.certified, true);
    assert.match(
      claim === undefined ? "" : statementOf(claim),
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
  withProject(join(folder, "passed"), async (project) => {
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
    const written = await rowsOf(join(project, "requests.jsonl"));
    const marked = written.filter(({ slices }) => slices?.["labelled_by"] === "another system").length;
    assert.is(marked, Math.ceil(rows.length / 2));
    assert.ok(written.length > marked + 30);
  }));

/** A command that answers each text of the small log. */
const judging = `node -e 'const known = JSON.parse(process.env.KNOWN); for (const line of require("fs").readFileSync(0, "utf8").trim().split("\\n")) { const { id, text } = JSON.parse(line); console.log(JSON.stringify({ id, predicted: known[text], confidence: 1 })); }'`;

test("examples of a command are marked and are never drawn; a command that fails is not quoted", () =>
  inTemporaryFolder(async (cwd) => {
    const { tools, log } = await writeSmallLog(cwd);
    const project = join(cwd, "p");
    assert.is((await inWorld("init", tools, "--log", log, "--into", project, "--seed", "5")).code, 0);
    const failed = await inWorld("label", ...inProject(project), "--judge-command", "cat; cat >&2; exit 3");
    assert.is(failed.code, 2);
    assert.match(failed.stderr, "DOCUMENT_INVALID: the judge command ended with 3");
    assert.not.match(failed.stderr, "courier");
    await writeFile(join(cwd, "known.json"), JSON.stringify(Object.fromEntries(smallLog)));
    const command = `KNOWN="$(cat '${join(cwd, "known.json")}')" ${judging}`;
    const { stderr } = await labelOnPage(
      project,
      async (address) => {
        const asked = askedOn(await (await fetch(`${address}/`)).text());
        assert.is(asked.phase, "test", "no example is left to ask");
      },
      "--judge-command",
      command,
    );
    assert.not.match(stderr, "courier");
    const again = await inWorld("label", ...inProject(project), "--judge-command", `touch '${join(cwd, "ran")}'`);
    assert.match(again.stderr, "the examples are fixed");
    assert.not(existsSync(join(cwd, "ran")));
    const written = await rowsOf(join(project, "requests.jsonl"));
    assert.is(written.filter(({ slices }) => slices?.["labelled_by"] === "another system").length, 75);
  }));

test("a draft lists the likeliest texts of each workflow, and what is left of it after review become examples", () =>
  inTemporaryFolder(async (cwd) => {
    const { tools, log } = await writeSmallLog(cwd);
    const project = join(cwd, "p");
    assert.is((await inWorld("init", tools, "--log", log, "--into", project, "--seed", "5")).code, 0);
    const draft = join(cwd, "draft.csv");
    const made = await inWorld("label", ...inProject(project), "--draft", draft);
    assert.is(made.code, 0, made.stderr);
    assert.match(made.stderr, `--judge ${draft}`);
    const [header, ...lines] = (await readFile(draft, "utf8")).trim().split("\n");
    assert.is(header, "id,predicted,confidence,text");
    const counts = new Map<string, number>();
    for (const [, workflow = ""] of lines.map((line) => line.split(","))) {
      counts.set(workflow, (counts.get(workflow) ?? 0) + 1);
    }
    assert.ok(counts.size > 1 && lines.length > 10, `${lines.length} texts of ${counts.size} workflows`);
    assert.ok(Math.max(...counts.values()) <= 10);
    const kept = lines.slice(3).map((line) => {
      const [id = "", , confidence = "", ...text] = line.split(",");
      return [id, smallLog.get(text.join(",").replaceAll('"', "")) ?? "", confidence].join(",");
    });
    const [first = ""] = kept;
    const others = [first.replace(/^([^,]*),[^,]*/, "$1,another"), first.replace(/^([^,]*),[^,]*/, "$1,")];
    for (const [wrong, message] of [
      [others[0], "column predicted: the catalog has no such workflow"],
      [others[1], "column predicted: an earlier line with this id has another workflow"],
    ] as const) {
      await writeFile(draft, ["id,predicted,confidence", ...kept, wrong].join("\n"));
      const refused = await inWorld("label", ...inProject(project), "--judge", draft);
      assert.match(refused.stderr, `line ${kept.length + 2} ${message}`);
    }
    // Spreadsheets of many countries save decimal commas, and semicolons between cells.
    const saved = kept.map((line) => line.replaceAll(",", ";").replace(".", ","));
    await writeFile(draft, `\ufeff${["id;predicted;confidence", ...saved].join("\r\n")}`);
    await labelOnPage(
      project,
      async (address) => {
        const asked = askedOn(await (await fetch(`${address}/`)).text());
        assert.match(asked.progress, `Examples: ${kept.length} of `);
      },
      "--judge",
      draft,
    );
    const over = await inWorld("label", ...inProject(project), "--draft", draft);
    assert.match(over.stderr, "FILE_EXISTS");
    const second = await inWorld("label", ...inProject(project), "--draft", `${draft}.2`);
    assert.is(second.code, 0, second.stderr);
    const again = (await readFile(`${draft}.2`, "utf8")).trim().split("\n").slice(1);
    const ids = new Set(kept.map((line) => line.split(",")[0]));
    assert.not(
      again.some((line) => ids.has(line.split(",")[0])),
      "what was judged is not proposed again",
    );
    const both = await inWorld("label", log, "--draft", draft, ...inProject(project));
    assert.match(both.stderr, "expected --draft alone");
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
    const ran = await inWorld("run", ...inProject(project), "--until", "split");
    assert.is(ran.code, 0, ran.stderr + ran.stdout);
    const both = await inWorld("label", declined, "--judge", declined, ...inProject(project));
    assert.is(both.code, 2);
  }));

const rowsOf = async (file: string) =>
  (await readFile(file, "utf8"))
    .split("\n")
    .filter((line) => line !== "")
    .map(
      (line) =>
        JSON.parse(line) as {
          readonly text: string;
          readonly workflow_id: string | null;
          readonly slices?: Record<string, string>;
        },
    );

test("another log starts a new test of the same catalog: what was judged are examples, and leave the log", ({
  folder,
}) =>
  withProject(join(folder, "passed"), async (project) => {
    const judged = await rowsOf(join(project, "requests.jsonl"));
    assert.ok(judged.length >= 50, `${judged.length} judged`);
    const log = join(folder, "later.txt");
    const later = new Map([...smallLog].map(([text, workflow]) => [text.replace(" the ", " my "), workflow]));
    await writeFile(log, [...later.keys(), ...judged.map(({ text }) => text)].join("\n"));
    const yaml = await readFile(join(project, "sluice.yaml"), "utf8");
    const made = await inWorld("init", join(project, "catalog.yaml"), "--log", log, "--into", project);
    assert.is(made.code, 0, made.stderr);
    assert.match(made.stdout, /\d+ requests that people labelled became examples\./);
    const catalog = await readFile(join(project, "catalog.yaml"), "utf8");
    for (const { text, workflow_id } of judged) if (workflow_id !== null) assert.match(catalog, `- ${text}\n`);
    assert.is(await readFile(join(project, "sluice.yaml"), "utf8"), yaml);
    assert.equal(
      (await rowsOf(join(project, "log.jsonl"))).map(({ text }) => text),
      [...later.keys()],
    );
    await labelOnPage(project, async (address) => {
      const first = askedOn(await (await fetch(`${address}/`)).text());
      assert.match(first.progress, /^Examples: 0 of 15\./);
      const end = await clickThrough(address, ({ text }) => later.get(text) ?? "none");
      assert.match(end.progress, /^The test is passed/);
    });
    const ran = await inWorld("run", ...inProject(project));
    assert.is(ran.code, 0, ran.stderr);
    assert.match(ran.stdout, /at most 10% /i);
  }));

test("a catalog with examples and a log make a project of their own, with the catalog as it is", () =>
  inTemporaryFolder(async (cwd) => {
    const { tools, log } = await writeSmallLog(cwd);
    const first = join(cwd, "first");
    assert.is((await inWorld("init", tools, "--into", first)).code, 0);
    const file = join(first, "catalog.yaml");
    const [text = ""] = smallLog.keys();
    const { bytes } = withExamples(await readFile(file), [
      { id: "a", text, workflow_id: "cancel_order" as WorkflowId },
    ]);
    await writeFile(file, `# ours\n${bytes.toString("utf8")}`);
    const second = join(cwd, "second");
    const made = await inWorld("init", file, "--log", log, "--into", second);
    assert.is(made.code, 0, made.stderr);
    assert.is(await readFile(join(second, "catalog.yaml"), "utf8"), await readFile(file, "utf8"));
    assert.is((await rowsOf(join(second, "log.jsonl"))).length, smallLog.size - 1);
    assert.is(await readFile(join(second, "requests.jsonl"), "utf8"), "");
  }));

test("requests that became examples since are not drawn, and a log without enough others has no second test", () =>
  inTemporaryFolder(async (cwd) => {
    const { tools, log } = await writeSmallLog(cwd);
    const project = join(cwd, "p");
    assert.is((await inWorld("init", tools, "--log", log, "--into", project, "--seed", "5")).code, 0);
    const file = join(project, "catalog.yaml");
    const known = [...smallLog].filter((_, at) => at % 4 === 0);
    const examples = known.map(([text, id]) => ({ id: text, text, workflow_id: id as WorkflowId }));
    await writeFile(file, withExamples(await readFile(file), examples).bytes);
    const texts = new Set(known.map(([text]) => text));
    await labelOnPage(project, async (address) => {
      const end = await clickThrough(address, (asked) => {
        if (asked.phase !== "test") return knowing(asked);
        assert.not(texts.has(asked.text));
        return "unsure";
      });
      assert.match(end.progress, /without a claim: \d wrong of \d\. This log is too short for a second test:/);
    });
    assert.is((await entriesOf(project, "draw")).length, 1);
  }));

/** Serves the page in a process of its own; \`kill\` ends it as a power cut would. */
async function servedProgram(project: string) {
  const child = spawn(
    process.execPath,
    [join(packageRoot, "dist/cli/main.js"), "label", ...inProject(project), "--port", "0"],
    {
      stdio: ["ignore", "ignore", "pipe"],
    },
  );
  let said = "";
  const address = await new Promise<string>((resolve, reject) => {
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      said += text;
      const [, found] = /^open +(\S+)\/$/mu.exec(said) ?? [];
      if (found !== undefined) resolve(found);
    });
    child.once("exit", () => reject(new Error(said)));
  });
  const kill = async () => {
    const exited = once(child, "exit");
    child.kill("SIGKILL");
    await exited;
  };
  return { address, kill };
}

test("a process that is killed after a click of the test, or during one, loses no click and keeps its draws", ({
  folder,
}) =>
  withProject(folder, async (project) => {
    const [before] = await entriesOf(project, "draw");
    let clicked = 2;
    for (const isAnswered of [true, false, false]) {
      const { address, kill } = await servedProgram(project);
      const asked = askedOn(await (await fetch(`${address}/`)).text());
      assert.match(asked.progress, `0 wrong of ${clicked}:`);
      const { token, phase, row } = asked;
      const sent = sendTo(address, { token, phase, row, workflow: knowing(asked) });
      if (isAnswered) await sent;
      await Promise.all([kill(), sent.catch(() => "")]);
      const saved = (await entriesOf(project, "click")).length - 15;
      assert.ok(saved === clicked + 1 || (!isAnswered && saved === clicked), `${saved} after ${clicked}`);
      clicked = saved;
    }
    assert.equal(await entriesOf(project, "draw"), before === undefined ? [] : [before]);
    assert.is((await inWorld("history", "verify", ...workspaceOf(project))).code, 0);
    await labelOnPage(project, async (address) => {
      assert.match((await clickThrough(address, knowing)).progress, /^The test is passed/);
    });
  }));

test("rows drawn at random from a log and labelled in a file make a project with a claim of its own", () =>
  inTemporaryFolder(async (cwd) => {
    const { tools, log } = await writeSmallLog(cwd);
    assert.is((await inWorld("init", tools, "--log", log, "--into", join(cwd, "q"))).code, 0);
    const { stderr } = await labelOnPage(join(cwd, "q"), async (address) => {
      assert.match(await (await fetch(`${address}/`)).text(), "a log of 225 requests, the alternative is recommended.");
    });
    assert.match(stderr, "such as 160 for 12 workflows");
    const drawn = spawnSync("shuf", ["-n", "160", `--random-source=${log}`, log], { encoding: "utf8" });
    const texts = drawn.stdout.trim().split("\n");
    assert.is(texts.length, 160);
    const file = join(cwd, "labelled.csv");
    await writeFile(file, ["text,workflow", ...texts.map((text) => `${text},${smallLog.get(text)}`)].join("\n"));
    const project = join(cwd, "p");
    assert.is((await inWorld("init", file, "--into", project, "--yes")).code, 0);
    const ran = await inWorld("run", ...inProject(project));
    assert.is(ran.code, 0, ran.stderr);
    assert.match(ran.stdout, /at most 20% /i);
  }));
