import type { Invocation } from "../../src/base/invocation.js";
import { existsSync } from "node:fs";
import { readFile, rename, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { readJsonl } from "../../datasets/read-jsonl.js";
import { loadCatalog, requireProductionCatalog } from "../../src/router/catalog/load.js";
import { assert, inTemporaryFolder, packageRoot, test } from "../support/test.js";
import { succeed } from "./support/small-workspace.js";
import { sluice } from "./support/sluice.js";

interface Init {
  readonly kind: string;
  readonly rows: number;
  readonly examples: number;
  readonly held_out: number;
  readonly out_of_scope: number;
  readonly follow_ups: number;
  readonly conversations: number;
  readonly learned_follow_ups: readonly object[];
  readonly left_out: Readonly<Record<string, number>>;
  readonly decisions: readonly string[];
  readonly files: readonly { readonly file: string; readonly state: string }[];
}

const fixture = (name: string): string => join(packageRoot, "test", "fixtures", name);
const init = (cwd: string, ...words: readonly string[]): Promise<Init> => succeed<Init>(cwd, "init", ...words, "--yes");

test("twelve intents with twelve rows or more become a production catalog and requests, each text both, whatever they come from", async () => {
  await inTemporaryFolder(async (cwd) => {
    const sources = [
      ["csv", join(packageRoot, "datasets", "example", "support-requests.csv"), [192, 192, 24]],
      ["folder", fixture("rasa-bank"), [144, 144, 12]],
      ["folder", fixture("dialogflow-telecom"), [144, 144, 12]],
    ] as const;
    for (const [index, [kind, source, counts]] of sources.entries()) {
      const project = `p${index}`;
      const made = await init(cwd, source, "--into", project);
      assert.equal([made.kind, made.examples, made.held_out, made.out_of_scope], [kind, ...counts]);
      const leftOut = Object.values(made.left_out).reduce((total, count) => total + count, 0);
      assert.is(made.rows, made.held_out + made.out_of_scope + leftOut, "every row is read once");
      const { catalog } = await loadCatalog(join(cwd, project, "catalog.yaml"));
      requireProductionCatalog(catalog);
      assert.is(catalog.workflows.length, 12);
    }
  });
});

test("a second init keeps owner, tier and people of the project unless they are given", () =>
  inTemporaryFolder(async (cwd) => {
    const people = ["--producer", "ann", "--approver", "bo", "--approver", "cy"];
    await init(cwd, "--into", "p", "--owner", "desk", "--tier", "low", ...people);
    const sentences = async (...words: readonly string[]): Promise<readonly string[]> =>
      (await init(cwd, "--into", "p", ...words)).decisions;
    const kept = await sentences("--out-of-scope-label", "other");
    assert.ok(kept.includes('Every workflow is in tier low and owned by "desk".'), kept.join("\n"));
    assert.ok(kept.includes("ann signs releases; bo and cy must approve."), kept.join("\n"));
    const { catalog } = await loadCatalog(join(cwd, "p", "catalog.yaml"));
    assert.equal([...new Set(catalog.workflows.map(({ owner }) => owner))], ["desk"]);
    const given = await sentences("--owner", "library");
    assert.ok(given.includes('Every workflow is in tier low and owned by "library".'), given.join("\n"));
  }));

test("a further export adds its new requests to a project, whose catalog stays, and never replaces it", () =>
  inTemporaryFolder(async (cwd) => {
    await init(cwd, "--into", "shop");
    const file = (name: string): Promise<string> => readFile(join(cwd, "shop", name), "utf8");
    const [before, catalog] = [await file("requests.jsonl"), await file("catalog.yaml")];
    const rows = [
      "intent,text",
      "damaged_item,box was soaked and the book is ruined",
      "return_item,my lamp arrived with a crack in its shade",
      "damaged_item,my lamp arrived with a crack in its shade",
      "return_item,the code by text message doesn't come",
      "gift_card,how do I pay with a gift card",
      "none,is there a football match tonight",
    ];
    await writeFile(join(cwd, "newer.csv"), `${rows.join("\n")}\n`);
    const refused = await sluice(["init", "newer.csv", "--into", "shop", "--yes"], { cwd });
    assert.is(refused.code, 2);
    assert.match(refused.stderr, /FILE_EXISTS: shop\/requests\.jsonl: 21\d of its 216 requests would be lost/);
    assert.match(refused.stderr, "sluice init newer.csv --into shop --yes --add");
    assert.is(await file("requests.jsonl"), before);

    const { stdout, stderr, code } = await sluice(["init", "newer.csv", "--into", "shop", "--add", "--json"], { cwd });
    assert.is(code, 0, stderr);
    const { result } = JSON.parse(stdout) as { readonly result: Readonly<Record<string, unknown>> };
    const { added, out_of_scope, known, other_label, unknown_labels } = result;
    assert.equal([added, out_of_scope, known, other_label, unknown_labels], [1, 1, 1, 1, { gift_card: 1 }]);
    const after = await file("requests.jsonl");
    assert.ok(after.startsWith(before));
    assert.match(after.slice(before.length), /"id":"newer:line-7".*"workflow_id":null/);
    assert.is(await file("catalog.yaml"), catalog);
    const again = await succeed<{ added: number }>(cwd, "init", "newer.csv", "--into", "shop", "--add");
    assert.is(again.added, 0);
  }));

test("with few texts, a workflow that no request measures is named as declined", () =>
  inTemporaryFolder(async (cwd) => {
    const lines = [
      "text,intent",
      ...[1, 2, 3, 4, 5].flatMap((i) => [`cancel order ${i},cancel`, `pay me back ${i},refund`]),
    ];
    await writeFile(join(cwd, "few.csv"), [...lines, "only me,lonely"].join("\n"));
    const { decisions } = await init(cwd, "few.csv", "--into", "p");
    assert.ok(
      decisions.includes(
        "Workflows without a test request, because they have at most one text: lonely. They are declined until they have one.",
      ),
      decisions.join("\n"),
    );
  }));

test("a file maps published labels to ids, and a later import of another file uses the same map", async () => {
  await inTemporaryFolder(async (cwd) => {
    const rows = (label: string) => ["one", "two", "three"].map((word) => `${label} ${word},${label}`).join("\n");
    await writeFile(join(cwd, "a.csv"), `text,intent\n${rows("CHECK_PINCODE")}\n${rows("退款")}\n`);
    await init(cwd, "a.csv", "--into", "p");
    const file = join(cwd, "p", "workflow-ids.csv");
    const ids = await readFile(file, "utf8");
    assert.match(ids, /^label,workflow_id\nCHECK_PINCODE,check_pincode\n退款,workflow_[0-9a-f]{8}\n$/);
    await writeFile(file, ids.replace(/workflow_[0-9a-f]{8}\n/, "refund\n"));
    await writeFile(join(cwd, "b.csv"), `text,intent\n${rows("退款")}\n`);
    const again = await succeed<{ workflows: { workflow_id: string }[]; decisions: string[] }>(
      cwd,
      "init",
      "b.csv",
      "--into",
      "p",
      "--yes",
    );
    assert.is(again.workflows[0]?.workflow_id, "refund");
    const said = again.decisions.join("\n");
    assert.match(said, "1 label is not a valid workflow id; workflow-ids.csv lists the new ids");
    assert.match(said, 'workflow-ids.csv also lists labels without a workflow here: "CHECK_PINCODE"');
    await writeFile(file, "label,workflow_id\nCHECK_PINCODE,refund\n退款,refund\n");
    const merged = await succeed<{ workflows: { workflow_id: string }[] }>(cwd, "init", "a.csv", "--into", "p");
    assert.equal(
      merged.workflows.map(({ workflow_id: id }) => id),
      ["refund"],
    );
  });
});

test("spellings that were merged stay one workflow when workflow-ids.csv gives one of them another id", () =>
  inTemporaryFolder(async (cwd) => {
    const labels = ["Lab result", "Lab results", "Lab results", "lab_results", "Lab Results", "Refund", "Refund"];
    const rows = labels.map((label, row) => `please send number ${row},${label}`);
    await writeFile(join(cwd, "labs.csv"), `text,intent\n${rows.join("\n")}\n`);
    const idsAfter = async (file: string) => {
      await writeFile(join(cwd, "p", "workflow-ids.csv"), file);
      const again = await sluice(["init", "labs.csv", "--into", "p", "--yes", "--json"], { cwd });
      const { result, warnings } = JSON.parse(again.stdout) as {
        result: { workflows: { workflow_id: string; label: string }[] };
        warnings: string[];
      };
      return { workflows: result.workflows.map(({ workflow_id: id, label }) => [id, label]), warnings };
    };
    await init(cwd, "labs.csv", "--into", "p");
    const drafted = await readFile(join(cwd, "p", "workflow-ids.csv"), "utf8");
    const edited = await idsAfter(drafted.replace(",lab_result\n", ",lab_results\n"));
    assert.equal(edited.workflows, [
      ["lab_results", "Lab results"],
      ["refund", "Refund"],
    ]);
    const catalog = await readFile(join(cwd, "p", "catalog.yaml"), "utf8");
    assert.match(catalog, "name: Lab results\n");
    assert.not.match(edited.warnings.join(), "a number was added");
    const apart = await idsAfter("label,workflow_id\nLost,refund\nRefunds,refund_2\n");
    assert.equal(apart.workflows.at(-1), ["refund", "Refund"], "a label that looks like an id has it");
    await writeFile(join(cwd, "labs.csv"), `text,intent\n${rows.join("\n")}\nthe sharp one,C#\nthe other,C++\n`);
    const numbered = await idsAfter(drafted);
    assert.match(numbered.warnings.join(), 'a number was added: "C++" (workflow_c_2). If they are one workflow');
  }));

test("drafted files name a schema in the same folder, so that editors check them offline", async () => {
  await inTemporaryFolder(async (cwd) => {
    await init(cwd, "--into", "p");
    for (const [name, required] of [
      ["catalog", "workflows"],
      ["project", "claim"],
    ] as const) {
      const drafted = await readFile(join(cwd, "p", name === "catalog" ? "catalog.yaml" : "sluice.yaml"), "utf8");
      const [, path = ""] = /^# yaml-language-server: \$schema=(\S+)\n/.exec(drafted) ?? [];
      const schema = JSON.parse(await readFile(join(cwd, "p", path), "utf8")) as {
        required: string[];
        $schema: string;
      };
      assert.ok(schema.required.includes(required), path);
      assert.match(schema.$schema, "json-schema.org");
      assert.equal(schema, await succeed(cwd, "schema", name));
    }
  });
});

test("without a file, init makes the example project", async () => {
  await inTemporaryFolder(async (cwd) => {
    const made = await init(cwd, "--into", "shop");
    assert.is(made.kind, "csv");
    assert.match(await readFile(join(cwd, "shop", "sluice.yaml"), "utf8"), /^population: |population: this_catalog/m);
  });
});

const tickets =
  "text,intent\nwhere is my parcel,track\nparcel please,track\nmoney back,refund\nrefund me,refund\nhi,other\nyo,other\n";
const statesOf = ({ files }: Init): readonly string[] => files.map(({ state }) => state);

test("a second init with other options replaces what nobody edited", () =>
  inTemporaryFolder(async (cwd) => {
    await writeFile(join(cwd, "tickets.csv"), tickets);
    assert.equal(statesOf(await init(cwd, "tickets.csv", "--into", "p")), ["written", "written", "written"]);
    assert.equal(statesOf(await init(cwd, "tickets.csv", "--into", "p")), ["same", "same", "same"]);
    const asked = JSON.parse((await sluice(["init", "tickets.csv", "--into", "p", "--json"], { cwd })).stdout) as {
      readonly next: readonly Invocation[];
    };
    const [first, second] = asked.next.map(({ args }) => args);
    assert.equal(second, ["run", "-C", "p"]);
    const other = ["tickets.csv", "--into", "p", "--out-of-scope-label", "other"];
    assert.equal(first, ["init", ...other], "the next step answers the warning");
    assert.equal(statesOf(await init(cwd, ...other)), ["replaced", "replaced", "replaced"]);
    assert.not.match(await readFile(join(cwd, "p", "catalog.yaml"), "utf8"), "workflow_id: other");
    assert.match(await readFile(join(cwd, "p", "sluice.yaml"), "utf8"), "out_of_scope_labels");
  }));

test("a file that was edited by hand is unchanged, with all that belong to it, until the printed lines accept the proposals", () =>
  inTemporaryFolder(async (cwd) => {
    await writeFile(join(cwd, "tickets.csv"), tickets);
    await init(cwd, "tickets.csv", "--into", "p");
    const catalog = join(cwd, "p", "catalog.yaml");
    const edited = (await readFile(catalog, "utf8")).replace("Requests about refund.", "Pays money back.");
    await writeFile(catalog, edited);
    assert.equal(statesOf(await init(cwd, "tickets.csv", "--into", "p")), ["same", "proposed", "same"]);
    const words = ["init", "tickets.csv", "--into", "p", "--out-of-scope-label", "other", "--yes"];
    const again = await sluice([...words, "--json"], { cwd });
    const { result, next, warnings } = JSON.parse(again.stdout) as {
      result: Init;
      next: readonly Invocation[];
      warnings: string[];
    };
    assert.equal(statesOf(result), ["proposed", "proposed", "proposed"]);
    assert.match(warnings.join(), "edited files were not replaced: sluice.yaml, catalog.yaml, requests");
    assert.is(await readFile(catalog, "utf8"), edited);
    const status = await sluice(["status", "-C", "p"], { cwd });
    assert.match(status.stderr, "p/catalog.yaml.proposed: a draft of init that no command uses. Merge or delete it");

    assert.equal(
      next.map(({ command, args }) => [command, ...args.map((file) => basename(file))]),
      ["sluice.yaml", "catalog.yaml", "requests.jsonl"].map((file) => ["diff", file, `${file}.proposed`]),
    );
    for (const { args } of next) await rename(join(cwd, args[1] ?? ""), join(cwd, args[0] ?? ""));
    assert.not.match(await readFile(catalog, "utf8"), "workflow_id: other");
    assert.not.match((await sluice(["status", "-C", "p"], { cwd })).stderr, "proposed");
    assert.equal(statesOf(await init(cwd, "tickets.csv", "--into", "p")), ["same", "same", "same"]);
  }));

const twoTexts = [
  "aaa,bbb,intent",
  ...Array.from(
    { length: 8 },
    (_, row) => `where is my van ${row},we looked it up for you ${row},${row % 2 === 0 ? "find" : "key"}`,
  ),
].join("\n");

test("a choice that only a person can make is refused with a line to copy, and kept in sluice.yaml once it is made", async () => {
  await inTemporaryFolder(async (cwd) => {
    await writeFile(join(cwd, "t.csv"), twoTexts);
    const words = ["init", "t.csv", "--into", "p", "--owner", "front desk"];
    const refused = await sluice(words, { cwd });
    assert.is(refused.code, 2);
    assert.match(refused.stderr, '2 columns may hold what the user said: "aaa", "bbb"');
    const lines = ["aaa", "bbb"].map(
      (name) => `         sluice init t.csv --into p --owner 'front desk' --text-column ${name}\n`,
    );
    assert.match(refused.stderr, `hint     Name it:\n${lines.join("")}`);
    assert.not.match(refused.stderr, "van");
    assert.not(existsSync(join(cwd, "p")));
    await init(cwd, "t.csv", "--into", "p", "--text-column", "aaa");
    const project = await readFile(join(cwd, "p", "sluice.yaml"), "utf8");
    assert.match(
      project,
      /source:.*\n {2}text_column: aaa # or "bbb"\n {2}label_column: intent\n {2}several_labels: leave-out\n/,
    );
    const again = await init(cwd, "t.csv", "--into", "p");
    assert.equal([...new Set(again.files.map(({ state }) => state))], ["same"], "the next init reads the rules");
  });
});

test("at a terminal the choice is a question with three example rows", async () => {
  await inTemporaryFolder(async (cwd) => {
    await writeFile(join(cwd, "t.csv"), twoTexts);
    const asked: string[] = [];
    const ask = async (prompt: string): Promise<string> => {
      asked.push(prompt);
      return "1";
    };
    const { code, stdout } = await sluice(["init", "t.csv", "--into", "p"], { cwd, ask });
    assert.is(code, 0);
    assert.is(asked.length, 1);
    assert.match(asked[0] ?? "", "Which column holds what the user said?\n  1  aaa\n       where is my van 0\n");
    assert.match(asked[0] ?? "", "Number (1 to 2): ");
    assert.match(stdout, 'Texts come from "aaa", labels from "intent".');
  });
});

test("rows that cannot be used are counted, listed by place, and their text is not repeated", async () => {
  await inTemporaryFolder(async (cwd) => {
    const table = "text;intent\nsecret words here;\nwhere is it;track\nwhere is it;refund\nmoney back;refund\n;track\n";
    await writeFile(join(cwd, "messy.csv"), table);
    const made = await init(cwd, "messy.csv", "--into", "p");
    assert.equal(made.left_out, { no_label: 1, no_text: 1, two_labels: 2 });
    const listed = await readFile(join(cwd, "p", "left-out.csv"), "utf8");
    assert.is(listed.trim().split("\n").length, 5);
    assert.not.match(listed, /secret words/);
    assert.match(
      listed,
      "messy.csv,line 3,two_labels,the same text occurs with another label (here: track; line 4: refund)",
    );
  });
});

test("a text with two labels is added once its label is corrected, and is no longer listed as left out", async () => {
  await inTemporaryFolder(async (cwd) => {
    const table =
      "text;intent\nwhere is it;track\nwhere is it;refund\nmoney back;refund\npay me;refund\nmy parcel;track\nwas it sent;track\n;track\n";
    await writeFile(join(cwd, "requests.csv"), table);
    const made = await sluice(["init", "requests.csv", "--into", "p"], { cwd });
    assert.match(made.stderr, /2 rows have texts with two labels.*sluice init requests\.csv --into p --add/);
    await writeFile(join(cwd, "requests.csv"), table.replace("it;refund", "it;track"));
    await succeed(cwd, "init", "requests.csv", "--into", "p", "--add");
    assert.match(await readFile(join(cwd, "p", "requests.jsonl"), "utf8"), /"where is it","workflow_id":"track"/);
    const listed = await readFile(join(cwd, "p", "left-out.csv"), "utf8");
    assert.not.match(listed, "two_labels");
    assert.match(listed, "line 8,no_text");
  });
});

test("a model of a project is a folder that travels with it: an id of a history is refused before anything is written", async () => {
  await inTemporaryFolder(async (cwd) => {
    for (const flag of ["--retriever", "--verifier"]) {
      const { code, stderr } = await sluice(["init", "--into", "p", flag, "3f9c01ab"], { cwd });
      assert.is(code, 2);
      assert.match(stderr, `USAGE: ${flag}: found the id 3f9c01ab, expected a model folder`);
      assert.match(stderr, `${flag} ./3f9c01ab`);
      assert.not(existsSync(join(cwd, "p")));
    }
    const model = join(packageRoot, "models", "default", "retriever");
    await init(cwd, "--into", "p", "--retriever", model);
    assert.match(await readFile(join(cwd, "p", "sluice.yaml"), "utf8"), `retriever: ${model}`);
  });
});

test("a folder that cannot be made, a proposal that waits and a folder without a project are named in these words", async () => {
  await inTemporaryFolder(async (cwd) => {
    await writeFile(join(cwd, "occupied"), "a file");
    const blocked = await sluice(["init", "--into", join("occupied", "p")], { cwd });
    assert.match(blocked.stderr, /WRITE_FAILED: occupied\/p: cannot be created \(ENOTDIR\)/);
    assert.match(blocked.stderr, "hint     Choose a writable folder");
    if (process.platform === "linux") {
      // Node's recursive mkdir never ends there.
      const nowhere = await sluice(["init", "--into", "/proc/shop/p"], { cwd });
      assert.is(nowhere.code, 1, nowhere.stderr);
      assert.match(nowhere.stderr, /WRITE_FAILED: \/proc\/shop\/p: cannot be created \(ENOENT\)/);
    }
    await init(cwd, "--into", "p");
    await writeFile(join(cwd, "p", "catalog.yaml"), "# mine\n");
    await init(cwd, "--into", "p");
    await writeFile(join(cwd, "p", "catalog.yaml.proposed"), "# half merged\n");
    const waiting = await sluice(["init", "--into", "p"], { cwd });
    assert.match(
      waiting.stderr,
      "FILE_EXISTS: p/catalog.yaml.proposed: an earlier proposal was edited and has not been",
    );
    assert.is(await readFile(join(cwd, "p", "catalog.yaml"), "utf8"), "# mine\n");
    const nowhere = await sluice(["run"], { cwd });
    assert.match(nowhere.stderr, "FILE_NOT_FOUND: sluice.yaml: no project found here");
    assert.match(nowhere.stderr, "sluice init FILE --into DIR");
  });
});

test("a file of no known kind ends with the kinds that are read, and writes nothing", async () => {
  await inTemporaryFolder(async (cwd) => {
    await writeFile(join(cwd, "letter.txt"), "Dear team\nwe write to you today\n");
    const { code, stderr } = await sluice(["init", "letter.txt", "--into", "p"], { cwd });
    assert.is(code, 2);
    assert.match(stderr, /FORMAT_UNKNOWN/);
    assert.match(stderr, /one row for each request[^]*Rasa, Dialogflow, LUIS/);
  });
});

test("sluice.yaml keeps what was chosen and what else could have been, and reads the same again", () =>
  inTemporaryFolder(async (cwd) => {
    const rows = ["refund", "track", "cancel"].flatMap((topic) =>
      Array.from({ length: 4 }, (_, at) => `please ${topic} order ${at},done for you ${at},${topic},desk ${at % 2}`),
    );
    await writeFile(join(cwd, "tickets.csv"), `question,answer,topic,team\n${rows.join("\n")}\n`);
    assert.is((await sluice(["init", "tickets.csv", "--into", "p"], { cwd })).code, 0);
    const kept = await readFile(join(cwd, "p", "sluice.yaml"), "utf8");
    assert.match(kept, '  text_column: question # or "answer"');
    assert.match(kept, '  label_column: topic # or "team"');
    const again = await sluice(["init", "tickets.csv", "--into", "p"], { cwd });
    assert.match(again.stdout, /^same +p\/sluice\.yaml$/m);
  }));

test("several text columns are joined, kept in sluice.yaml as a list, read the same again, and shown on the page", () =>
  inTemporaryFolder(async (cwd) => {
    const rows = ["refund", "track", "cancel"].flatMap((topic) =>
      Array.from({ length: 4 }, (_, at) => `about ${topic},please ${topic} order ${at},${topic}`),
    );
    await writeFile(join(cwd, "tickets.csv"), `Subject,Description,Category\n${rows.join("\n")}\n`);
    const both = ["--text-column", "Subject", "--text-column", "Description"];
    await init(cwd, "tickets.csv", "--into", "p", ...both);
    const kept = await readFile(join(cwd, "p", "sluice.yaml"), "utf8");
    assert.match(kept, "  text_column:\n    - Subject\n    - Description\n  label_column: Category");
    assert.match(await readFile(join(cwd, "p", "requests.jsonl"), "utf8"), '"about refund\\nplease refund order 0"');
    assert.equal([...new Set(statesOf(await init(cwd, "tickets.csv", "--into", "p")))], ["same"]);
    await writeFile(join(cwd, "later.csv"), "Subject,Description,Category\nabout refund,where is it,refund\n");
    await succeed(cwd, "init", "later.csv", "--into", "p", "--add");
    assert.match(await readFile(join(cwd, "p", "requests.jsonl"), "utf8"), '"about refund\\nwhere is it"');
  }));

test("turns of conversations become labelled follow-ups of the project, which a later file adds to", () =>
  inTemporaryFolder(async (cwd) => {
    const turns = (session: string, at: number): readonly string[] => [
      `${session}${at},user,please book room ${at * 37},book`,
      `${session}${at},agent,for how long,`,
      `${session}${at},user,two nights from day ${at},book`,
      `${session}${at},user,cancel parking ${at * 53} instead,cancel`,
    ];
    const conversations = Array.from({ length: 12 }, (_, at) => at + 1);
    const chat = (session: string, more: readonly string[] = []): string =>
      ["session_id,role,text,intent", ...conversations.flatMap((at) => turns(session, at)), ...more].join("\n");
    await writeFile(
      join(cwd, "chat.csv"),
      chat("s", ["s0,user,cancel room 9,cancel", "s0,user,please book room 37,book"]),
    );
    const made = await init(cwd, "chat.csv", "--into", "p");
    const file = (name: string): Promise<string> => readFile(join(cwd, "p", name), "utf8");
    const rows = readJsonl(await readFile(join(cwd, "p", "follow-ups.jsonl")), "follow-ups", undefined, "follow-ups");
    assert.equal([made.follow_ups, made.conversations, rows.length], [24, 12, 24]);
    assert.equal(made.left_out, { not_user: 12, example: 1 });
    assert.equal(made.learned_follow_ups, [
      { text: "cancel parking 53 instead", label: "cancel", previous: "book" },
      { text: "two nights from day 1", label: "book", previous: "book" },
    ]);
    assert.equal(
      [rows[1]?.group_id, rows[1]?.workflow_id, rows[1]?.previous],
      ["chat:s1", "cancel", { workflow_id: "book" }],
    );
    assert.match(await file("sluice.yaml"), /^follow_ups: follow-ups\.jsonl .*^ {2}conversation_column: session_id$/ms);
    assert.ok(!/nights|parking/.test(await file("catalog.yaml")), "a follow-up is an example");
    assert.ok(!/nights|parking/.test(await file("requests.jsonl")));

    await writeFile(join(cwd, "later.csv"), chat("t"));
    const add = (name: string) => succeed<{ added_follow_ups: number }>(cwd, "init", name, "--into", "p", "--add");
    assert.equal([(await add("later.csv")).added_follow_ups, (await add("later.csv")).added_follow_ups], [24, 0]);
    assert.is((await add("chat.csv")).added_follow_ups, 0);
    const alone = await init(cwd, "chat.csv", "--into", "q", "--conversation-column", "none");
    assert.is(alone.follow_ups, 0);
    await succeed(cwd, "init", "later.csv", "--into", "q", "--add");
    assert.match(await readFile(join(cwd, "q", "sluice.yaml"), "utf8"), "conversation_column: none");
  }));

const mails = (topic: string, count: number): readonly string[] =>
  Array.from({ length: count }, (_, at) => `please help with ${topic} of booking ${at * 37} today,${topic}`);

test("a further export drafts workflows for its new labels, which a copy into the catalog makes usable", () =>
  inTemporaryFolder(async (cwd) => {
    const rows = [...mails("Lost luggage", 14), ...mails("Seat choice", 14), "where is it,", "my name is wrong,N/A"];
    await writeFile(join(cwd, "tickets.csv"), `text,intent\n${rows.join("\n")}\n`);
    await init(cwd, "tickets.csv", "--into", "p", "--owner", "desk");
    const file = (name: string): Promise<string> => readFile(join(cwd, "p", name), "utf8");
    const [before, catalog] = [await file("left-out.csv"), await file("catalog.yaml")];
    const more = [...mails("Cruise > Shore tours", 12), ...mails("Seat choice", 16), "hello,", "hello again,tbd"];
    await writeFile(join(cwd, "later.csv"), `text,intent\n${more.join("\n")}\n`);
    const add = () => sluice(["init", "later.csv", "--into", "p", "--add"], { cwd });

    const first = await add();
    assert.is(first.code, 0, first.stderr);
    assert.match(
      first.stdout,
      /^left out +2 rows, listed in p\/left-out\.csv; 12 more texts have labels that the catalog lacks$/m,
    );
    assert.match(
      first.stdout,
      "Left out:\n  1 row: the label is empty\n  1 row: the label is a placeholder such as N/A\n",
    );
    assert.match(first.stderr, /Shore tours" \(12 texts\)\. p\/new-workflows\.yaml has a draft of each workflow/);
    assert.is(await file("catalog.yaml"), catalog);
    const lines = (await file("left-out.csv")).split("\n");
    assert.ok((await file("left-out.csv")).startsWith(before));
    assert.equal(
      lines.filter((line) => line.startsWith("later.csv")).map((line) => line.split(",")[1]),
      ["line 30", "line 31"],
    );

    await writeFile(join(cwd, "all.csv"), `text,intent\n${[...rows, ...more].join("\n")}\n`);
    await init(cwd, "all.csv", "--into", "all", "--owner", "desk");
    const { catalog: whole } = await loadCatalog(join(cwd, "all", "catalog.yaml"));
    const drafts = await file("new-workflows.yaml");
    await writeFile(join(cwd, "p", "catalog.yaml"), `${catalog}${drafts}`);
    const { catalog: edited } = await loadCatalog(join(cwd, "p", "catalog.yaml"));
    const drafted = edited.workflows.find(({ workflow_id: id }) => id === "cruise_shore_tours");
    assert.equal(
      drafted,
      whole.workflows.find(({ workflow_id: id }) => id === "cruise_shore_tours"),
      "as the first init drafts it",
    );
    assert.equal([drafted?.owner, drafted?.examples.length], ["desk", 12]);

    const second = await add();
    assert.match(second.stdout, /^added +12 requests to p\/requests\.jsonl, 0 out of scope$/m);
    assert.match(second.stdout, /^left out +2 rows, listed in p\/left-out\.csv$/m);
    assert.not.match(second.stderr, "catalog has these labels");
    assert.is((await file("left-out.csv")).split("\n").length, lines.length, "each row once");
    await succeed(cwd, "catalog", "check", "p/catalog.yaml", "--production");
    const third = await sluice(["init", "later.csv", "--into", "p", "--add", "--json"], { cwd });
    assert.match(third.stdout, /"added": 0,[^]*"new_workflows": null/);
  }));

test("up to thirty workflows are listed, and the rest are counted", () =>
  inTemporaryFolder(async (cwd) => {
    const rows = (topics: number): string =>
      Array.from({ length: topics }, (_, at) =>
        mails(`topic ${"abcdefgh"[at % 8]}${Math.floor(at / 8)}`, 2).join("\n"),
      ).join("\n");
    await writeFile(join(cwd, "thirty.csv"), `text,intent\n${rows(30)}\n`);
    await writeFile(join(cwd, "more.csv"), `text,intent\n${rows(33)}\n`);
    const shown = async (file: string): Promise<string> =>
      (await sluice(["init", file, "--into", file.replace(".csv", "")], { cwd })).stdout;
    assert.not.match(await shown("thirty.csv"), / more$/m);
    assert.match(await shown("more.csv"), /^and 3 more$/m);
  }));

test("labels for everything else, and mails, are warned of with a command that can be pasted, which ends the warning", () =>
  inTemporaryFolder(async (cwd) => {
    const signed = (topic: string): readonly string[] =>
      Array.from(
        { length: 12 },
        (_, at) => `"where is the ${topic} of trip ${at * 37}\n\nThanks,\nIda Petrov",${topic}`,
      );
    const short = ["baggage", "voucher", "Spam", "other/none"].map(
      (label) => `"Hi\n\nUrgent\n\nThanks,\nIda Petrov",${label}`,
    );
    const rows = [
      ...signed("baggage"),
      ...signed("voucher"),
      ...mails("Spam", 4),
      ...mails("other/none", 4),
      ...short.slice(0, 1),
    ];
    await writeFile(
      join(cwd, "my mails.csv"),
      `text,intent\n${rows.join("\n")}\n"urgent now\n\nThanks,\nIda",baggage\n`,
    );
    const { stderr, stdout } = await sluice(["init", "my mails.csv", "--into", "p", "--owner", "me"], { cwd });
    const [, labels = ""] =
      /to "Spam", "other\/none"\. If they mean out of scope: (sluice init .*)$/m.exec(stderr) ?? [];
    const [, clean = ""] = /signatures\. For example: .*\. To remove them: (sluice init .*)$/m.exec(stderr) ?? [];
    assert.is(clean, "sluice init 'my mails.csv' --into p --owner me --clean");
    assert.match(
      stdout,
      "All 34 texts with a workflow are also examples. When a text is tested, its near-copies are left",
    );
    const wordsOf = (line: string): readonly string[] =>
      [...line.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(([, a, b, c]) => a ?? b ?? c ?? "").slice(1);
    const again = await sluice([...wordsOf(labels), "--clean"], { cwd });
    assert.not.match(again.stderr, /out of scope|signatures/);
    assert.match(again.stdout, "8 rows are out of scope by label");
    assert.match(again.stdout, "The cleaning made 2 texts shorter than 3 words.");
    assert.not.match(await readFile(join(cwd, "p", "catalog.yaml"), "utf8"), "Petrov");
  }));
