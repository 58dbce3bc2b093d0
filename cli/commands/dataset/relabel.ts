import { join } from "node:path";
import { counted } from "../../../src/documents/number-text.js";
import { projectFileName } from "../../../src/documents/choices.js";
import { relabelRequests } from "../../../stages/relabel.js";
import type { WorkOf } from "../../command.js";
import type { datasetRelabelSpec } from "../../specs/dataset.js";
import { fields, table } from "../../table.js";

export const datasetRelabel: WorkOf<typeof datasetRelabelSpec> = async (context, args) => {
  const done = await relabelRequests({ ...args, file: join(".", projectFileName) });
  const word = (workflow: string | null): string => workflow ?? "out of scope";
  const { rows } = done;
  const moved = rows.filter((row) => row.moved).length;
  return {
    result: done,
    lines: [
      ...table(
        rows.map(({ id, from, corrected, to }) => [id, word(from), corrected ?? "example moved", word(to)]),
        ["withdrawn", "label", "added", "label"],
      ),
      ...fields([
        ["examples", `${counted(moved, "text")} moved in ${context.here(done.catalog)}`],
        ["tested", "none of these rows; add fresh requests to show that such requests are routed right"],
      ]),
    ],
    next: [context.next("run")],
  };
};
