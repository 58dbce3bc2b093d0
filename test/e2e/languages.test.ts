/** A project in two languages that are not English, from its file to an approved bundle with a claim about each. */
import { existsSync, readFileSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { csvLine } from "../../datasets/csv-line.js";
import type { ReleasePage } from "../../reports/release/release-page.js";
import type { Calibration } from "../../src/documents/calibration.js";
import type { RouteResponse } from "../../src/documents/response.js";
import { assert, inTemporaryFolder, packageRoot, shared, skipTest, test, testWithShared } from "../support/test.js";
import { sluice } from "../cli/support/sluice.js";
import { releasedBy, succeed } from "../cli/support/small-workspace.js";

interface Row {
  readonly text: string;
  readonly workflow_id: string;
}

const workflows = ["weather_find", "book_restaurant", "play_music", "search_screening_event"];
const textsPerWorkflow = 30;

/** Requests of the file, for some of its workflows. */
function requestsIn(language: string): readonly (readonly [string, string])[] {
  const lines = readFileSync(shared("data", "languages", "xsid", `${language}.jsonl`), "utf8")
    .trimEnd()
    .split("\n");
  const rows = lines.map((line) => JSON.parse(line) as Row);
  return workflows.flatMap((workflow) =>
    rows
      .filter(({ workflow_id: id }) => id === workflow)
      .slice(0, textsPerWorkflow)
      .map(({ text }) => [text, workflow] as const),
  );
}

const as = (person: string) => ({ SLUICE_PASSPHRASE: `the passphrase of ${person}` });

async function releasedProject(cwd: string): Promise<string> {
  const rows = [["text", "label"] as const, ...requestsIn("de"), ...requestsIn("nl")];
  await writeFile(join(cwd, "requests.csv"), rows.map((row) => csvLine([...row])).join("\n"));
  await succeed(
    cwd,
    "init",
    "requests.csv",
    "--into",
    "home",
    "--models",
    "multilingual",
    "--yes",
    "--owner",
    "home",
    ...releasedBy,
  );
  const file = join(cwd, "home", "sluice.yaml");
  const rules = "claim:\n  languages: [de, nl]\n  require_slices: language\n";
  const project = (await readFile(file, "utf8")).replace("target: auto", "target: 0.2").replace(/^claim:\n/mu, rules);
  await writeFile(file, project);
  const released = await sluice(["run", "-C", "home", "--release", "--accept", "public data"], { cwd, env: as("ann") });
  assert.is(released.code, 0, released.stderr);
  for (const person of ["bo", "cy"]) {
    const approved = await sluice(["approve", "-C", "home", "--approver", person, "--yes"], { cwd, env: as(person) });
    assert.is(approved.code, 0, approved.stderr);
  }
  return join(cwd, "home");
}

const decided = async (home: string, text: string, ...more: readonly string[]): Promise<RouteResponse> =>
  (await succeed<{ readonly response: RouteResponse }>(home, "route", "--text", text, ...more)).response;

function claimsOfLanguages(): Promise<void> {
  return inTemporaryFolder(async (cwd) => {
    const home = await releasedProject(cwd);
    const { document } = await succeed<{ readonly document: Calibration }>(home, "calibrate", "show");
    assert.equal(
      document.claims.map(({ scope, certified }) => [scope, certified]),
      [
        ["language:de", true],
        ["language:nl", true],
      ],
    );
    const { page } = await succeed<{ page: ReleasePage }>(home, "manifest", "show");
    assert.equal(
      page.claims.map(({ scope, verdict }) => [scope, verdict]),
      [
        ["German", "pass"],
        ["Dutch", "pass"],
      ],
    );
    assert.match(page.claims[1]?.sentence ?? "", /^When Sluice routes a request in Dutch/);

    const { stdout } = await sluice(["eval", "show", "--fold", "all"], { cwd: home });
    assert.match(stdout, /German routed ↑ .*German risk ↓ .*Dutch routed ↑ .*Dutch risk ↓/su);

    assert.is((await sluice(["bundle", "verify"], { cwd: home })).code, 0);
    const bundle = join("sluice-workspace", "bundle");
    assert.ok(existsSync(join(home, bundle, "manifest.dsse.json")));
    const { equal } = await succeed<{ readonly equal: boolean }>(home, "reproduce");
    assert.ok(equal);

    for (const text of ["Wird es morgen in Berlin regnen?", "Gaat het morgen regenen in Amsterdam?"]) {
      const { workflow_id: workflow, reason_code: reason } = await decided(home, text);
      assert.equal([workflow, reason], ["weather_find", "ACCEPTED_MEDIUM_RISK"], text);
    }
    for (const text of ["Will it rain tomorrow in the city of London?", "Regen?"]) {
      assert.is((await decided(home, text)).reason_code, "LANGUAGE_NOT_CERTIFIED", text);
    }
  });
}

const name = "a project in German and Dutch leads to an approved bundle that routes both, with a claim about each";
if (existsSync(join(packageRoot, "models", "multilingual", "retriever"))) testWithShared(test, name, claimsOfLanguages);
else skipTest(name, "models/multilingual");
