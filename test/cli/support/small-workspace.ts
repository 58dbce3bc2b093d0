import { readFileSync } from "node:fs";
import { cp, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import * as assert from "uvu/assert";
import { parse } from "yaml";
import { canonicalBytes } from "../../../src/base/canonical-json.js";
import { lexicalRetrieverModel } from "../../../src/router/retrieval/load-retriever.js";
import { modelFileName } from "../../../src/router/retrieval/model-files.js";
import { packageRoot } from "../../support/package-root.js";
import { madeOnce } from "./made-once.js";
import { type Finished, sluice } from "./sluice.js";

/** `small`: enough for every tier to have workflows in every fold, few enough for seconds. `tiny`: enough to be scored. */
const sizes = {
  small: { workflowsPerTier: 6, requestsPerWorkflow: 20, outOfScopeRequests: 160 },
  tiny: { workflowsPerTier: 4, requestsPerWorkflow: 5, outOfScopeRequests: 16 },
} as const;

export const people = ["ann", "bo", "cy"] as const;
export type Person = (typeof people)[number];

interface CatalogFile {
  readonly workflows: readonly {
    readonly workflow_id: string;
    readonly risk_tier: string;
    readonly required_inputs?: readonly object[];
  }[];
}

type CatalogWorkflow = CatalogFile["workflows"][number];

interface Row {
  readonly workflow_id: string | null;
}

const shipped = (file: string): string => readFileSync(join(packageRoot, "datasets", "service-desk", file), "utf8");

/** The budget of patterns is measured by the clock, so on a busy machine two runs with patterns can differ. */
const withoutPatterns = (workflow: CatalogWorkflow): CatalogWorkflow => ({
  ...workflow,
  required_inputs: (workflow.required_inputs ?? []).map((input) => ({ ...input, pattern: undefined })),
});

export interface SmallDatasetOptions {
  /** Whether inputs are found in texts. */
  readonly patterns: boolean;
  /** Default `small`, 640 requests; `tiny` has 96. */
  readonly size?: keyof typeof sizes;
}

/** Writes `catalog.yaml` and `requests.jsonl`: a part of the shipped dataset. */
export async function writeSmallDataset(
  folder: string,
  { patterns, size = "small" }: SmallDatasetOptions,
): Promise<void> {
  const { workflowsPerTier, requestsPerWorkflow, outOfScopeRequests } = sizes[size];
  const catalog = parse(shipped("catalog.yaml")) as CatalogFile;
  const tiers = new Set(catalog.workflows.map((workflow) => workflow.risk_tier));
  const workflows = [...tiers].flatMap((tier) =>
    catalog.workflows.filter((workflow) => workflow.risk_tier === tier).slice(0, workflowsPerTier),
  );
  const lines = shipped("requests.jsonl")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => ({ line, of: (JSON.parse(line) as Row).workflow_id }));
  const rowsOf = (id: string | null, limit: number): readonly string[] =>
    lines
      .filter(({ of }) => of === id)
      .slice(0, limit)
      .map(({ line }) => line);
  const rows = [
    ...workflows.flatMap((workflow) => rowsOf(workflow.workflow_id, requestsPerWorkflow)),
    ...rowsOf(null, outOfScopeRequests),
  ];
  // JSON is YAML.
  await writeFile(
    join(folder, "catalog.yaml"),
    JSON.stringify({ ...catalog, workflows: patterns ? workflows : workflows.map(withoutPatterns) }),
  );
  await writeFile(join(folder, "requests.jsonl"), `${rows.join("\n")}\n`);
}

/** Runs the program with --json in the default workspace of a folder; the run must end with 0. */
export async function succeed<T>(cwd: string, ...args: readonly string[]): Promise<T> {
  const { code, stdout, stderr }: Finished = await sluice([...args, "--json"], { cwd });
  assert.is(code, 0, `${args.join(" ")}: ${stdout}${stderr}`);
  return (JSON.parse(stdout) as { readonly result: T }).result;
}

/** Options with which a person signs. */
export const signedBy = (person: Person): readonly string[] => ["--key", person, "--passphrase-file", `${person}.pass`];

const nameOf = ({ patterns, size = "small" }: SmallDatasetOptions): string =>
  `${size}${patterns ? "" : "-without-patterns"}`;

async function fit(cwd: string, options: SmallDatasetOptions): Promise<void> {
  await writeSmallDataset(cwd, options);
  await succeed(cwd, "dataset", "import", "requests.jsonl", "--format", "jsonl", "--catalog", "catalog.yaml");
  await succeed(cwd, "dataset", "split");
  await succeed(cwd, "dataset", "audit", "--accept", "a part of invented data", "--actor", "ann");
  await fitLexical(cwd);
}

/** Models without an encoder, which load and score in milliseconds, fitted on the FIT fold of the latest split. */
export async function fitLexical(
  cwd: string,
  { seed = 1, out = join("sluice-workspace", "models") }: { readonly seed?: number; readonly out?: string } = {},
): Promise<{ readonly verifier: string }> {
  await mkdir(join(cwd, "lexical"), { recursive: true });
  await writeFile(join(cwd, "lexical", modelFileName), canonicalBytes(lexicalRetrieverModel));
  const { entries } = await succeed<{ readonly entries: readonly { readonly sha256: string }[] }>(
    cwd,
    "history",
    "log",
    "--kind",
    "split",
  );
  const split = entries.at(-1)?.sha256 ?? "";
  const data = ["--retriever", "lexical", "--split", split, "--catalogs", "0"];
  return succeed(cwd, "model", "fit", ...data, "--seed", String(seed), "--out", out);
}

/** Imports, splits, audits and fits: everything before `eval run`. */
export async function fitSmallWorkspace(cwd: string, options: SmallDatasetOptions = { patterns: true }): Promise<void> {
  await cp(await madeOnce(`fitted-${nameOf(options)}`, (folder) => fit(folder, options)), cwd, { recursive: true });
}

/** That, and `eval run`. @returns the id of the run */
export async function scoreSmallWorkspace(
  cwd: string,
  options: SmallDatasetOptions = { patterns: true },
): Promise<string> {
  const scored = await madeOnce(`scored-${nameOf(options)}`, async (folder) => {
    await fitSmallWorkspace(folder, options);
    const { run } = await succeed<{ readonly run: string }>(folder, "eval", "run");
    await writeFile(join(folder, "run.id"), run);
  });
  await cp(scored, cwd, { recursive: true });
  const run = await readFile(join(cwd, "run.id"), "utf8");
  await rm(join(cwd, "run.id"));
  return run;
}

/** A key for each person, and a policy: ann produces, two of ann, bo and cy approve. */
export async function writeSmallTrust(cwd: string): Promise<void> {
  const keys = join("sluice-workspace", "keys");
  await mkdir(join(cwd, keys), { recursive: true });
  for (const person of people) {
    await writeFile(join(cwd, `${person}.pass`), `secret of ${person}\n`);
    await succeed(cwd, "key", "create", person, "--passphrase-file", `${person}.pass`);
  }
  const principals = people.flatMap((person) => ["--principal", `${person}=${join(keys, `${person}.pub.pem`)}`]);
  const approvers = people.flatMap((person) => ["--approver", person]);
  await succeed(cwd, "trust", "create", ...principals, "--producer", "ann", ...approvers, "--expires", "365d");
}

/** The commands with which the pages begin, in the words of those that name `npx`. */
export const exampleLines = [
  "npx sluice init --into shop --owner support",
  "npx sluice status -C shop",
  "npx sluice run -C shop",
] as const;

/** The project `shop` of the shipped example after these commands. */
export interface MeasuredExample {
  /** Contains the project; nobody may change it. */
  readonly folder: string;
  /** What each command printed, in the order of `exampleLines`. */
  readonly printed: readonly [init: Finished, status: Finished, run: Finished];
}

export async function measuredExample(): Promise<MeasuredExample> {
  const folder = await madeOnce("measured", async (made) => {
    const printed: Finished[] = [];
    for (const line of exampleLines) {
      const finished = await sluice(line.split(" ").slice(2), { cwd: made, env: { SLUICE_YES: "1" } });
      assert.is(finished.code, 0, `${line}: ${finished.stdout}${finished.stderr}`);
      printed.push(finished);
    }
    await writeFile(join(made, "printed.json"), JSON.stringify(printed));
    // The same project with people who sign: init names them in its file.
    await succeed(made, "init", "--into", "signed", "--owner", "support", ...releasedBy);
  });
  const printed = JSON.parse(await readFile(join(folder, "printed.json"), "utf8")) as MeasuredExample["printed"];
  return { folder, printed };
}

/** Copies that project, with people who sign in its file: everything before its release. */
export async function measuredProject(cwd: string): Promise<void> {
  const { folder } = await measuredExample();
  await cp(join(folder, "shop"), join(cwd, "shop"), { recursive: true });
  await cp(join(folder, "signed", "sluice.yaml"), join(cwd, "shop", "sluice.yaml"));
}

/** Options that name who releases a project. */
export const releasedBy = ["--producer", "ann", "--approver", "bo", "--approver", "cy"] as const;
