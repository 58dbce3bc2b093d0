import { join } from "node:path";
import type { Sha256 } from "../../src/base/sha256.js";
import type { WorkflowId } from "../../src/documents/primitives.js";
import type { Catalog } from "../../src/documents/catalog.js";
import type { LabelledRequest } from "../../src/documents/dataset.js";
import { seededRandom } from "../../src/base/numbers/seeded-random.js";
import { aWorkflow } from "../../test/support/builders.js";
import { farRequests } from "./far-requests.js";
import { atMost, jsonLinesOf, type Protocol } from "./protocol.js";

const examplesEach = 10;

interface Line {
  readonly id: string;
  readonly text: string;
  readonly workflow_id: string | null;
  readonly split: "train" | "val" | "test";
  readonly held_out_intent?: string;
}

/** Ten drawn texts of each label as examples; name and description come from the label. */
export const catalogFrom = (
  training: readonly Pick<Line, "text" | "workflow_id">[],
  version: string,
  seed: number,
): Catalog => {
  const drawn = atMost(seededRandom(seed).shuffle(training), examplesEach, ({ workflow_id: label }) => label ?? "");
  const labels = [...new Set(drawn.map(({ workflow_id: label }) => label ?? ""))].sort();
  const workflows = labels.map((label) => {
    const name = label.replaceAll("_", " ");
    return aWorkflow({
      workflow_id: label,
      name,
      description: `Workflow for ${name}.`,
      capabilities: [],
      examples: drawn.filter(({ workflow_id: own }) => own === label).map(({ text }) => text),
    });
  });
  return { catalog_version: `${version}-${seed}`, sha256: "0".repeat(64) as Sha256, workflows };
};

/** BANKING77 with all 77 intents in the catalog, ten drawn training texts each, and its 3,080 test texts. */
export function wholeBankingProtocol(dataFolder: string, seed: number): Protocol {
  const lines = jsonLinesOf<Line>(join(dataFolder, "banking77", "data.jsonl"));
  const rows = lines.filter(({ split }) => split === "test");
  return {
    catalog: catalogFrom(
      lines.filter(({ split }) => split === "train"),
      "banking77",
      seed,
    ),
    rows: rows.map(({ id, text, workflow_id: workflowId }) => ({
      id,
      text,
      workflow_id: workflowId as WorkflowId | null,
    })),
    removed: new Set(),
  };
}

/**
 * BANKING77 with 50 intents in the catalog, ten drawn training texts each, and 27 held-out intents, whose test texts
 * are near out of scope. One protocol per seed, all with the same test texts.
 */
export function bankingProtocol(dataFolder: string, seed: number): Protocol {
  const lines = jsonLinesOf<Line>(join(dataFolder, "banking77", "data_idoos.jsonl"));
  const training = lines.filter(({ split, workflow_id: label }) => split === "train" && label !== null);
  const test = lines.filter(({ split }) => split === "test");
  const rows = test.map(({ id, text, workflow_id: label, held_out_intent: heldOut }): LabelledRequest => {
    return { id, text, workflow_id: (label ?? heldOut ?? null) as WorkflowId };
  });
  return {
    catalog: catalogFrom(training, "banking77-50", seed),
    rows: [...rows, ...farRequests(dataFolder)],
    removed: new Set(test.flatMap(({ held_out_intent: heldOut }) => heldOut ?? [])),
  };
}
