import { exportFiles, type ModelExport } from "./model-export.js";
import type { Derived } from "./derived.js";

/** Names under which sentence-transformers looks up the prompt of each kind of text, in order. */
const promptNames = { query: ["query"], document: ["document", "passage", "corpus"] } as const;
export type PrefixKind = keyof typeof promptNames;

/** Prefix of a text, byte for byte: from the flag, or from the export's prompts. */
export function derivePrefix(model: ModelExport, kind: PrefixKind, wanted: string | undefined): Derived<string> {
  const flag = `--${kind}-prefix TEXT`;
  const exported = exportedPrefix(model, kind);
  if (wanted !== undefined) return { value: wanted, source: flagSource(kind, wanted, exported) };
  if (exported !== undefined) return { value: exported, source: exportFiles.prompts };
  const names = Object.keys(model.prompts?.prompts ?? {});
  if (names.length === 0) return { value: "", source: "assumed: the export names no prompts; see the model's card" };
  if (kind === "document" && names.includes("query")) {
    return { value: "", source: `${exportFiles.prompts} (no prompt for documents)` };
  }
  return { missing: `${exportFiles.prompts} has prompts ${names.join(", ")}, none of them for a ${kind}`, flag };
}

/** The export's prompt; undefined if it has none for this kind of text. */
export function exportedPrefix({ prompts }: ModelExport, kind: PrefixKind): string | undefined {
  const known = prompts?.prompts ?? {};
  const name = [...promptNames[kind], prompts?.default_prompt_name ?? ""].find((key) => Object.hasOwn(known, key));
  return name === undefined ? undefined : known[name];
}

function flagSource(kind: PrefixKind, wanted: string, exported: string | undefined): string {
  if (exported === undefined || exported === wanted) return `--${kind}-prefix`;
  return `--${kind}-prefix, while ${exportFiles.prompts} says ${JSON.stringify(exported)}`;
}
