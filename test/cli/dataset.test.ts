import { copyFile, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { readCatalog, readRun, readScoredRecords } from "../../store/records/read-records.js";
import { openHistory } from "../../store/history/open.js";
import { assert, inTemporaryFolder, packageRoot, pluck, test } from "../support/test.js";
import { sluice } from "./support/sluice.js";
import { fitLexical, succeed, writeSmallDataset } from "./support/small-workspace.js";
import type { WorkflowId } from "../../src/documents/primitives.js";

const shipped = (file: string): string => join(packageRoot, "datasets", "service-desk", file);

async function result<T>(
  args: readonly string[],
  cwd: string,
): Promise<{ readonly code: number | null; readonly value: T }> {
  const { code, stdout } = await sluice([...args, "--json"], { cwd });
  return { code, value: JSON.parse(stdout) as T };
}

test("import, split, audit and show work on the latest records, and the history holds each once", () =>
  inTemporaryFolder(async (cwd) => {
    const catalogFile = ["--catalog", shipped("catalog.yaml")];
    const importing = ["dataset", "import", shipped("requests.jsonl"), "--format", "jsonl", ...catalogFile];
    const imported = await result<{ result: { dataset: string; catalog: string; requests: number } }>(importing, cwd);
    assert.is(imported.code, 0);
    const { dataset, catalog, requests } = imported.value.result;
    await result(importing, cwd);

    const split = await result<{ result: { split: string; document: { dataset_sha256: string } } }>(
      ["dataset", "split", "--seed", "7"],
      cwd,
    );
    assert.is(split.value.result.document.dataset_sha256, dataset);

    const audit = await result<{ result: { audit: string; rows: number }; gates: { name: string; verdict: string }[] }>(
      ["dataset", "audit", "--split", split.value.result.split.slice(0, 12)],
      cwd,
    );
    assert.is(audit.value.result.rows, requests);
    assert.ok(audit.value.gates.some(({ name, verdict }) => name === "fold_leakage" && verdict === "pass"));
    assert.is(audit.code, audit.value.gates.every(({ verdict }) => verdict === "pass") ? 0 : 3);

    const shown = await result<{ result: { workflows: number; per_tier: object[] } }>(["dataset", "show"], cwd);
    assert.is(shown.value.result.workflows, 112);
    assert.is(shown.value.result.per_tier.length, 4);

    const log = await result<{ result: { entries: { kind: string; sha256: string; actor: string }[] } }>(
      ["history", "log"],
      cwd,
    );
    assert.equal(
      log.value.result.entries.map(({ kind, sha256, actor }) => [kind, sha256, actor]),
      [
        ["catalog", catalog, "tester"],
        ["dataset", dataset, "tester"],
        ["split", split.value.result.split, "tester"],
        ["audit", audit.value.result.audit, "tester"],
      ],
    );
    const verified = await result<{ result: { entries: number; root: string } }>(["history", "verify"], cwd);
    assert.is(verified.value.result.entries, 4);
    assert.match(verified.value.result.root, /^[0-9a-f]{64}$/);
  }));

test("the same rows from another file are the dataset that is there, and every step after it can be repeated", () =>
  inTemporaryFolder(async (cwd) => {
    await writeSmallDataset(cwd, { patterns: false });
    await copyFile(join(cwd, "requests.jsonl"), join(cwd, "renamed.jsonl"));
    await copyFile(join(cwd, "catalog.yaml"), join(cwd, "renamed.yaml"));
    const importing = (file: string, catalog: string) =>
      sluice(["dataset", "import", file, "--format", "jsonl", "--catalog", catalog], { cwd });
    const first = await importing("requests.jsonl", "catalog.yaml");
    assert.is(first.code, 0, first.stderr);
    const again = await importing("renamed.jsonl", "renamed.yaml");
    assert.is(again.code, 0, again.stderr);
    const [, id = ""] = /^dataset +([0-9a-f]+)$/m.exec(first.stdout) ?? [];
    assert.match(again.stdout, new RegExp(`^dataset +${id}, unchanged since the import on 20[0-9TZ:-]+$`, "m"));
    for (const step of [
      ["dataset", "split"],
      ["dataset", "audit", "--accept", "invented data", "--actor", "ann"],
      ["eval", "run"],
    ]) {
      await succeed(cwd, ...step);
      await succeed(cwd, ...step);
    }
    const { entries } = await succeed<{ entries: readonly { kind: string }[] }>(cwd, "history", "log");
    const kinds = ["catalog", "dataset", "split", "audit", "model", "model", "policy", "run", "evaluation"];
    assert.equal(pluck(entries, "kind"), kinds);
  }));

test("a split without a workflow in FIT gets a warning, and is refused where a fit follows", () =>
  inTemporaryFolder(async (cwd) => {
    await writeSmallDataset(cwd, { patterns: false });
    await succeed(cwd, "dataset", "import", "requests.jsonl", "--format", "jsonl", "--catalog", "catalog.yaml");
    const split = await sluice(["dataset", "split", "--shares", "0.001,0.333,0.333,0.333"], { cwd });
    assert.is(split.code, 0, split.stderr);
    assert.match(split.stderr, /fold FIT has no workflow/);
    const [, id = ""] = /^split +([0-9a-f]+)/m.exec(split.stdout) ?? [];
    const { code, stderr } = await sluice(["model", "fit", "--split", id, "--out", "models"], { cwd });
    assert.is(code, 2, stderr);
    assert.match(stderr, /SPLIT_TOO_SMALL: the FIT fold of split \w+ has no workflow, expected at least 1/);
    assert.match(stderr, /sluice dataset split --dataset \w+ --shares 0\.35,0\.15,0\.3,0\.2/);
  }));

test("failed checks are accepted with a reason and a name, on record; nothing is accepted by default", () =>
  inTemporaryFolder(async (cwd) => {
    const importing = ["import", shipped("requests.jsonl"), "--format", "jsonl", "--catalog", shipped("catalog.yaml")];
    await result(["dataset", ...importing], cwd);
    const strict = await sluice(["dataset", "audit"], { cwd });
    assert.is(strict.code, 3);
    assert.match(strict.stdout, /^personal_data .* FAIL$/m);

    const accepting = ["dataset", "audit", "--accept", "invented data", "--actor", "ann"];
    const accepted = await result<{
      result: {
        audit: string;
        passed: boolean;
        usable: boolean;
        override: { checks: string[]; reason: string; actor: string };
        findings: { check: string; verdict: string; examples: { texts?: string[] }[] }[];
      };
      gates: { name: string; verdict: string; message: string }[];
    }>(accepting, cwd);
    assert.is(accepted.code, 0);
    const { audit, passed, usable, override, findings } = accepted.value.result;
    assert.equal([passed, usable], [false, true]);
    assert.equal(override, { checks: ["personal_data"], reason: "invented data", actor: "ann" });
    assert.equal(
      pluck(
        findings.filter(({ verdict }) => verdict === "accepted"),
        "check",
      ),
      ["personal_data"],
    );
    assert.not.ok(findings.some(({ examples }) => examples.some(({ texts }) => texts !== undefined)));
    const gate = accepted.value.gates.find(({ name }) => name === "personal_data");
    assert.is(gate?.verdict, "pass");
    assert.match(gate?.message ?? "", "accepted by ann: invented data");
    assert.match((await sluice(["history", "log", "--kind", "audit"], { cwd })).stdout, audit.slice(0, 12));

    const others = await sluice([...accepting, "--accept-checks", "small_workflow"], { cwd });
    assert.is(others.code, 3, "the reason is not for the failed check");
    const shown = await sluice([...accepting, "--with-texts"], { cwd });
    assert.match(shown.stdout, /^ {2}\S+ {2}\((phone|email|card|iban)[^)]*\)\n {6}"/m);

    const unknown = await sluice([...accepting, "--accept-checks", "personal"], { cwd });
    assert.is(unknown.code, 2);
    assert.match(unknown.stderr, /--accept-checks: found "personal", expected different checks out of \w+/);
    const nobody = await sluice(["dataset", "audit", "--accept", "x"], { cwd, env: { USER: "" } });
    assert.is(nobody.code, 2);
    assert.match(nobody.stderr, "hint     Add --actor NAME.");
  }));

test("outside a project an audit says how to withdraw a label in conflict, and that settles it", () =>
  inTemporaryFolder(async (cwd) => {
    await writeSmallDataset(cwd, { patterns: false, size: "tiny" });
    const file = join(cwd, "requests.jsonl");
    const rows = (await readFile(file, "utf8")).trimEnd().split("\n");
    const { text } = JSON.parse(rows[0] ?? "") as { text: string };
    const wrong = { id: "wrong", text, workflow_id: null };
    const audit = async (last: object): Promise<string> => {
      await writeFile(file, [...rows, JSON.stringify(last), ""].join("\n"));
      await succeed(cwd, "dataset", "import", "requests.jsonl", "--format", "jsonl", "--catalog", "catalog.yaml");
      await succeed(cwd, "dataset", "split", "--by", "request");
      return (await sluice(["dataset", "audit"], { cwd })).stdout;
    };
    const found = await audit(wrong);
    assert.match(found, 'add "withdrawn": "REASON" to its row');
    assert.not.match(found, text);
    assert.match(await audit({ ...wrong, withdrawn: "not an order" }), /^label_conflict +0 /m);
  }));

test("removed workflows leave the catalog of the split, and their requests are scored as near out of scope", () =>
  inTemporaryFolder(async (cwd) => {
    await writeSmallDataset(cwd, { patterns: false });
    await succeed(cwd, "dataset", "import", "requests.jsonl", "--format", "jsonl", "--catalog", "catalog.yaml");
    const both = await sluice(["dataset", "split", "--remove", "it_access", "--remove-held-out", "0.2"], { cwd });
    assert.is(both.code, 2);
    const { document } = await succeed<{
      document: { catalog_sha256: string; removed: { from_catalog_sha256: string; workflows: string[] } };
    }>(cwd, "dataset", "split", "--remove-held-out", "0.2");
    assert.is.not(document.catalog_sha256, document.removed.from_catalog_sha256);
    await fitLexical(cwd);
    const run = await succeed<{ run: string; evaluation: { out_of_scope: number; requests: number } }>(
      cwd,
      "eval",
      "run",
    );
    const history = openHistory(join(cwd, "sluice-workspace", "history.db"), { readOnly: true });
    try {
      const records = readScoredRecords(history, readRun(history, run.run));
      const removed = records.filter((record) =>
        document.removed.workflows.includes(record.cluster.split(":")[1] ?? ""),
      );
      assert.ok(removed.length > 50);
      assert.ok(
        removed.every(({ workflow_id: workflowId, population }) => workflowId === null && population === "near_oos"),
      );
      assert.ok(records.some(({ population }) => population === "seen"));
      const left = readCatalog(history, document.catalog_sha256).document.workflows.map(
        ({ workflow_id: workflowId }) => workflowId,
      );
      assert.is(left.length, 24 - document.removed.workflows.length);
      assert.not.ok(document.removed.workflows.some((id) => left.includes(id as WorkflowId)));
    } finally {
      history.close();
    }
    const again = await succeed<{ document: { removed?: object } }>(cwd, "dataset", "split");
    assert.is(again.document.removed, undefined, "another split starts from the whole catalog");
  }));

test("a cross-validation stores each assignment as a separate split, with the first as the latest", () =>
  inTemporaryFolder(async (cwd) => {
    await writeSmallDataset(cwd, { patterns: false });
    await succeed(cwd, "dataset", "import", "requests.jsonl", "--format", "jsonl", "--catalog", "catalog.yaml");
    const splitting = ["dataset", "split", "--folds", "5", "--repeats", "2"];
    const kept = await succeed<{ split: string; assignments: string[] }>(cwd, ...splitting);
    assert.is(new Set(kept.assignments).size, 10);
    const log = await succeed<{ entries: { sha256: string }[] }>(cwd, "history", "log", "--kind", "split");
    assert.is(log.entries.length, 11);
    assert.is(log.entries.at(-1)?.sha256, kept.assignments[0]);
    const { stdout } = await sluice(["dataset", "show"], { cwd });
    assert.match(stdout, /^fold +requests +workflows +out of scope$/m);
    assert.match(stdout, /^characters +\d/m);
  }));

test("bad rows are named by line, and nothing is stored", () =>
  inTemporaryFolder(async (cwd) => {
    const rows = ['{"id":"a","text":"x","workflow_id":null}', '{"id":"a","text":"secret words","workflow_id":null}'];
    await writeFile(join(cwd, "rows.jsonl"), rows.join("\n"));
    const { code, stderr } = await sluice(["dataset", "import", "rows.jsonl", "--format", "jsonl"], { cwd });
    assert.is(code, 2);
    assert.match(stderr, /DOCUMENT_INVALID: rows\.jsonl: line 2 column id: the same id as line 1/);
    assert.not.match(stderr, /secret/);
    assert.is((await sluice(["history", "log"], { cwd })).code, 2);
  }));

test("a mapped table is imported with a drafted catalog, and its bad rows are left out and listed by line", () =>
  inTemporaryFolder(async (cwd) => {
    const lines = [
      "body;intent;lang",
      "where is it;Find order;en",
      ";Find order;en",
      "hello;none;en",
      "where;Find order;de",
    ];
    await writeFile(join(cwd, "tickets.csv"), lines.join("\n"));
    const columns = ["--text-column", "body", "--workflow-column", "intent", "--slice-columns", "lang"];
    const reading = ["--format", "table", "--out-of-scope-value", "none", ...columns];
    const importing = ["dataset", "import", "tickets.csv", ...reading];
    const strict = await sluice(importing, { cwd });
    assert.is(strict.code, 2);
    assert.match(strict.stderr, "tickets.csv: line 3 column body: found an empty text, expected a text of 1 to 8,000");

    const { code, value } = await result<{
      result: { requests: number; out_of_scope: number; catalog: string; bad_rows: { at: string }[] };
      warnings: string[];
    }>([...importing, "--max-bad-rows", "1", "--draft-catalog", "--examples-per-workflow", "1"], cwd);
    assert.is(code, 0);
    assert.equal([value.result.requests, value.result.out_of_scope], [2, 1]);
    assert.match(value.result.catalog, /^[0-9a-f]{64}$/);
    assert.equal(pluck(value.result.bad_rows, "at"), ["line 3"]);
    const [badRows, ...unready] = value.warnings;
    assert.is(badRows, "skipped 1 invalid row (tickets.csv line 3)");
    assert.ok(unready.length > 0 && unready.every((warning) => warning.startsWith("not ready for production: ")));
  }));

test("folders of Rasa, Dialogflow and Schema-Guided Dialogue are found in their own layout", () =>
  inTemporaryFolder(async (cwd) => {
    const write = async (file: string, content: string): Promise<void> => {
      await mkdir(join(cwd, file, ".."), { recursive: true });
      await writeFile(join(cwd, file), content);
    };
    await write("rasa/nlu/greet.yml", "nlu:\n- intent: greet\n  examples: |\n    - hi\n    - hey\n");
    await write("agent/intents/Greet.json", '{"name":"Greet"}');
    await write("agent/intents/Greet_usersays_de.json", '[{"data":[{"text":"hallo"}]}]');
    const requests = async (...args: readonly string[]): Promise<number> => {
      const { code, value } = await result<{ result: { requests: number } }>(
        ["dataset", "import", ...args, "--examples-per-workflow", "0"],
        cwd,
      );
      assert.is(code, 0, args.join(" "));
      return value.result.requests;
    };
    assert.is(await requests("rasa", "--format", "auto"), 2);
    assert.is(await requests("agent", "--format", "auto", "--language", "de"), 1);
  }));

test("an export is recognised without --format, and a file maps labels to their ids", () =>
  inTemporaryFolder(async (cwd) => {
    const routes = (...names: readonly string[]) =>
      JSON.stringify(
        names.map((name) => ({ name, utterances: ["one", "two", "three"].map((word) => `${name} ${word}`) })),
      );
    const importing = async (...names: readonly string[]) => {
      await writeFile(join(cwd, "routes.json"), routes(...names));
      const { value } = await result<{ result: { mapped_labels: Record<string, string>; catalog_examples: number } }>(
        ["dataset", "import", "routes.json", "--ids-file", "ids.csv"],
        cwd,
      );
      return value.result;
    };
    const first = await importing("Default Welcome Intent", "CHECK_PINCODE", "refund");
    assert.equal(first.mapped_labels, {
      CHECK_PINCODE: "check_pincode",
      "Default Welcome Intent": "default_welcome_intent",
    });
    assert.is(first.catalog_examples, 3);
    const file = await readFile(join(cwd, "ids.csv"), "utf8");
    assert.match(file, "Default Welcome Intent,default_welcome_intent\n");
    await writeFile(join(cwd, "ids.csv"), file.replace(",default_welcome_intent", ",welcome"));
    assert.is(
      (await importing("CHECK_PINCODE", "Default Welcome Intent")).mapped_labels["Default Welcome Intent"],
      "welcome",
    );
    const shown = await sluice(["dataset", "import", "routes.json"], { cwd });
    assert.match(shown.stdout, /^id +CHECK_PINCODE -> check_pincode$/m);
    assert.match(shown.stdout, /^examples +2 further texts, as examples of the drafted catalog/m);
  }));

test("shares that do not sum to 1 are refused", () =>
  inTemporaryFolder(async (cwd) => {
    const { code, stderr } = await sluice(["dataset", "split", "--shares", "0.5,0.5"], { cwd });
    assert.is(code, 2);
    assert.match(stderr, /--shares: found "[^"]+", expected 4 shares/);
  }));
