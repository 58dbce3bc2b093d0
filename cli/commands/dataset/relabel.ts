import { join } from "node:path";
import { projectFileName } from "../../../src/documents/choices.js";
import { relabelRequest } from "../../../stages/relabel.js";
import type { WorkOf } from "../../command.js";
import type { datasetRelabelSpec } from "../../specs/dataset.js";
import { fields } from "../../table.js";

/** The word for requests that fit no workflow. */
const outOfScope = "none";

export const datasetRelabel: WorkOf<typeof datasetRelabelSpec> = async (context, { id, label, reason }) => {
  const file = join(".", projectFileName);
  const done = await relabelRequest({ file, id, label: label === outOfScope ? null : label, reason });
  const word = (workflow: string | null): string => workflow ?? "out of scope";
  const stale =
    done.example_of === null
      ? []
      : [`The text is still an example of ${done.example_of} in the catalog: move it to ${word(done.to)}.`];
  return {
    result: done,
    lines: fields([
      ["withdrawn", `${done.id}, ${word(done.from)}: ${reason}`],
      ["added", `${done.corrected}, ${word(done.to)}`],
      ["file", context.here(done.requests)],
      ["tested", "neither row is tested; add fresh requests to show that such requests are routed right"],
    ]),
    warnings: stale,
    next: [context.nextLine("run")],
  };
};
