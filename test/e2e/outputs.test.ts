import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { sluice } from "../cli/support/sluice.js";
import { programs, startProgram } from "../support/run-program.js";
import { assert, inTemporaryFolder, packageRoot, test } from "../support/test.js";

/**
 * What people and programs see of one project, from its file to approved bundle and served answers, compared with
 * `test/golden/outputs`. `UPDATE_GOLDEN=1` writes the files again; each difference is then read, and intended.
 */

const folder = join(packageRoot, "test", "golden", "outputs");
const secret = (person: string) => ({ SLUICE_PASSPHRASE: `the passphrase of ${person}` });
const people = ["--producer", "ann", "--approver", "bo", "--approver", "cy"];

/** The commands of the road, in order; those with `person` sign. */
const road: readonly { readonly file: string; readonly args: readonly string[]; readonly person?: string }[] = [
  { file: "init", args: ["init", "--into", ".", "--owner", "support"] },
  { file: "status-drafted", args: ["status"] },
  { file: "run", args: ["run"] },
  { file: "run-again", args: ["run"] },
  { file: "status", args: ["status"] },
  { file: "dataset-audit", args: ["dataset", "audit"] },
  { file: "catalog-check", args: ["catalog", "check", "catalog.yaml"] },
  { file: "catalog-show", args: ["catalog", "show"] },
  { file: "catalog-lint", args: ["catalog", "lint"] },
  { file: "eval-show", args: ["eval", "show"] },
  { file: "eval-list", args: ["eval", "list"] },
  { file: "eval-errors", args: ["eval", "errors"] },
  { file: "calibrate-show", args: ["calibrate", "show"] },
  { file: "route", args: ["route", "--text", "please cancel my order, I ordered twice"] },
  { file: "route-declined", args: ["route", "--text", "sing a song about frogs"] },
  { file: "report-eval", args: ["report", "eval", "--out", "report.json"] },
  { file: "report-calibration", args: ["report", "calibration", "--out", "calibration.md"] },
  { file: "release", args: ["run", "--release", ...people], person: "ann" },
  { file: "report-release", args: ["report", "release", "--out", "release.md"] },
  { file: "manifest-show", args: ["manifest", "show"] },
  { file: "approve-first", args: ["approve", "--approver", "bo", "--yes"], person: "bo" },
  { file: "approve-second", args: ["approve", "--approver", "cy", "--yes"], person: "cy" },
  { file: "bundle-verify", args: ["bundle", "verify"] },
  { file: "reproduce", args: ["reproduce"] },
  { file: "trust-show", args: ["trust", "show"] },
  { file: "history-log", args: ["history", "log"] },
  { file: "history-verify", args: ["history", "verify"] },
  { file: "unknown-option", args: ["run", "--targt", "0.1"] },
  { file: "unknown-fold", args: ["eval", "errors", "--fold", "none"] },
];

/** Replaces what differs between two runs of the same code: digests, times, durations, folders, and the runtime. */
function stable(text: string, cwd: string): string {
  return text
    .replaceAll(cwd, "FOLDER")
    .replaceAll(process.version, "NODE")
    .replace(/\breq_[0-9a-f]{32}\b/g, "REQUEST")
    .replace(/(?<="public_key": ")[^"]+/g, "KEY")
    .replace(/(?<=sluice-status )\S+/g, "STATUS")
    .replace(/\b[0-9a-f]{64}\b/g, "SHA256")
    .replace(/(?<![.\w])[0-9a-f]{12}\b/g, "ID")
    .replace(/\b\d{4}-\d\d-\d\dT[\d:.]+Z/g, "TIME")
    .replace(/\b\d{4}-\d\d-\d\d( \d\d:\d\d)?( UTC)?/g, "DAY")
    .replace(/\b\d+(\.\d+)? (ms|s|us|MiB|kB)\b/g, "N $2")
    .replace(/(?<=^ +\d+ {2}TIME .*) +\d+$/gm, "  BYTES")
    .replace(/ {2,}(?=N s\b)/g, "  ")
    .replace(/("[a-z_]*(?:seconds|millis|ms|bytes)":) ?[\d.]+/g, "$1 0");
}

/** First entries of long lists: a golden file is read by people. */
const longestList = 3;

function shortened(value: unknown): unknown {
  if (Array.isArray(value)) {
    const first = value.slice(0, longestList).map(shortened);
    return value.length > longestList ? [...first, `and ${value.length - longestList} more`] : first;
  }
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, shortened(one)]));
}

function compare(file: string, text: string): void {
  const path = join(folder, file);
  if (process.env["UPDATE_GOLDEN"] === "1") {
    mkdirSync(folder, { recursive: true });
    writeFileSync(path, text);
  }
  assert.ok(existsSync(path), `${file} is missing; run with UPDATE_GOLDEN=1 and read the difference`);
  assert.is(text, readFileSync(path, "utf8"), file);
}

const requests: readonly (readonly [file: string, path: string, body: unknown])[] = [
  ["routed", "/v1/route", { text: "please cancel my order, I ordered twice", request_id: "one" }],
  ["declined", "/v1/route", { text: "sing a song about frogs", request_id: "two" }],
  ["narrowed", "/v1/route", { text: "where is my parcel", request_id: "three", allowed_workflow_ids: ["track_order"] }],
  ["other-catalog", "/v1/route", { text: "where is my parcel", request_id: "four", catalog_version: "other" }],
  ["no-text", "/v1/route", { request_id: "five" }],
  ["unknown-field", "/v1/route", { text: "where is my parcel", request_id: "six", texts: [] }],
  ["shortlist", "/v1/shortlist", { text: "where is my parcel", request_id: "seven" }],
];

async function answers(cwd: string): Promise<string> {
  const server = startProgram(programs.sluice, ["serve", "-C", cwd, "--port", "0"], {}, cwd);
  try {
    const [, address = ""] = await server.untilStderr(/(http:\/\/127\.0\.0\.1:\d+)/);
    const texts: string[] = [];
    for (const path of ["/health/live", "/health/ready", "/v1/absent"]) {
      const reply = await fetch(`${address}${path}`);
      texts.push(`GET ${path}: ${reply.status}\n${stable(await reply.text(), cwd)}`);
    }
    for (const [file, path, body] of requests) {
      const sent = { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
      const reply = await fetch(`${address}${path}`, sent);
      const said = JSON.stringify(JSON.parse(await reply.text()), null, 1);
      texts.push(`${file}: POST ${path} ${JSON.stringify(body)}: ${reply.status}\n${stable(said, cwd)}`);
    }
    return `${texts.join("\n\n")}\n`;
  } finally {
    server.child.kill("SIGTERM");
    await server.finished;
  }
}

test("the commands, pages and answers of a project are the golden ones", () =>
  inTemporaryFolder(async (cwd) => {
    const expected: string[] = [];
    const both = async (
      file: string,
      args: readonly string[],
      env: Readonly<Record<string, string>>,
    ): Promise<void> => {
      const wire = await sluice([...args, "--json"], { cwd, env });
      compare(
        `${file}.json`,
        stable(`${JSON.stringify({ exit: wire.code, document: shortened(JSON.parse(wire.stdout)) }, null, 1)}\n`, cwd),
      );
      const text = await sluice([...args, "--quiet"], { cwd, env });
      compare(`${file}.txt`, stable(`${text.stdout}${text.stderr}exit ${text.code}\n`, cwd));
      expected.push(`${file}.json`, `${file}.txt`);
    };
    for (const { file, args, person } of road) await both(file, args, person === undefined ? {} : secret(person));
    compare(
      "report.json",
      stable(
        `${JSON.stringify(shortened(JSON.parse(readFileSync(join(cwd, "report.json"), "utf8"))), null, 1)}\n`,
        cwd,
      ),
    );
    compare("calibration.md", stable(readFileSync(join(cwd, "calibration.md"), "utf8"), cwd));
    compare("release.md", stable(readFileSync(join(cwd, "release.md"), "utf8"), cwd));
    compare("answers.txt", await answers(cwd));
    expected.push("report.json", "calibration.md", "release.md", "answers.txt");
    assert.equal(readdirSync(folder).sort(), expected.sort(), "no golden file is left over");
  }));
