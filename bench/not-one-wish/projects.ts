import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { sha256Hex } from "../../src/base/sha256.js";
import type { Catalog } from "../../src/documents/catalog.js";
import type { ClaimKind } from "../../src/documents/choices.js";
import type { LabelledRequest } from "../../src/documents/dataset.js";
import type { WorkflowId } from "../../src/documents/primitives.js";
import { catalogFrom, wholeBankingProtocol } from "../held-out/banking.js";
import { atMost } from "../held-out/protocol.js";
import { serviceDeskProtocol } from "../held-out/service-desk.js";

export interface MeasuredProject {
  readonly name: string;
  readonly catalog: Catalog;
  /** Maximum wrong share of the routed requests. */
  readonly target: number;
  readonly claim: ClaimKind;
  /** Requests that thresholds are learned and tested on. */
  readonly certify: readonly LabelledRequest[];
  /** Other requests, of which the measured texts are made. */
  readonly asked: readonly LabelledRequest[];
}

const seed = 1;
const requestsPerIntent = 110;

const isFirstHalf = ({ id }: LabelledRequest): boolean => Number.parseInt(sha256Hex(id).slice(0, 8), 16) % 2 === 0;
const halves = (rows: readonly LabelledRequest[]) => ({
  certify: rows.filter(isFirstHalf),
  asked: rows.filter((row) => !isFirstHalf(row)),
});

function banking(data: string): MeasuredProject {
  const { catalog, rows } = wholeBankingProtocol(data, seed);
  return { name: "BANKING77", catalog, target: 0.05, claim: "fixed-catalog", ...halves(rows) };
}

function bitext(data: string): MeasuredProject {
  const lines = gunzipSync(readFileSync(join(data, "corpus/pairs/intent.bitext-cs.tsv.gz"))).toString("utf8");
  const rows = lines
    .trim()
    .split("\n")
    .map((line, index): LabelledRequest => {
      const [label = "", text = ""] = line.split("\t");
      return { id: `bitext-${index}`, text, workflow_id: (label.split(":").at(-1) ?? "") as WorkflowId };
    });
  const drawn = atMost(rows, requestsPerIntent, (row) => row.workflow_id ?? "");
  const catalog = catalogFrom(drawn, "bitext", seed);
  const examples = new Set(catalog.workflows.flatMap((workflow) => workflow.examples));
  return {
    name: "Bitext",
    catalog,
    target: 0.05,
    claim: "fixed-catalog",
    ...halves(drawn.filter(({ text }) => !examples.has(text))),
  };
}

async function desk(): Promise<MeasuredProject> {
  const { catalog, rows } = await serviceDeskProtocol(["tune", "certify"]);
  return {
    name: "desk",
    catalog,
    target: 0.1,
    claim: "new-workflows",
    certify: rows,
    asked: (await serviceDeskProtocol(["eval"])).rows,
  };
}

/** The three projects: two collections with ten examples for each intent, and the shipped service desk. */
export const measuredProjects = async (data: string): Promise<readonly MeasuredProject[]> => [
  banking(data),
  bitext(data),
  await desk(),
];
