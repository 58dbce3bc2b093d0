import type { TableChoices } from "./choices.js";
import { isClu, isLuis, readClu, readLuis } from "./intents/luis.js";
import { isNlpJs, readNlpJs } from "./intents/nlpjs.js";
import { isSemanticRouter, readSemanticRouter } from "./intents/semantic-router.js";
import type { ReadMaterial, SourceKind } from "./material.js";
import { gridOfObjects } from "./tables/read-grid.js";
import { textsOfGrid } from "./tables/texts-of-grid.js";
import { isOpenApi, readOpenApi } from "./tools/openapi.js";
import { readToolList, toolListKind } from "./tools/tool-lists.js";

/** Content of a JSON or YAML value; null when its kind is unknown. */
export function readStructured(
  file: string,
  value: unknown,
  choices: TableChoices,
): (ReadMaterial & { readonly kind: SourceKind }) | null {
  if (isClu(value)) return { kind: "clu", ...readClu(file, value) };
  if (isLuis(value)) return { kind: "luis", ...readLuis(file, value) };
  if (isOpenApi(value)) return { kind: "openapi", ...readOpenApi(value) };
  const tools = toolListKind(value);
  if (tools !== null) return { kind: tools, ...readToolList(value) };
  if (isNlpJs(value)) return { kind: "nlpjs", ...readNlpJs(file, value) };
  if (isSemanticRouter(value)) return { kind: "semantic-router", ...readSemanticRouter(file, value) };
  if (!Array.isArray(value)) return null;
  const grid = gridOfObjects(file, value, (index) => `row ${index + 1}`);
  return { kind: "json", ...textsOfGrid(grid, choices) };
}
