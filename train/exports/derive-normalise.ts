import { exportFiles, type ModelExport } from "./model-export.js";
import { type Derived, refused } from "./sourced.js";

/** Whether vectors are scaled to length 1. */
export function deriveNormalise(model: ModelExport, wanted: boolean | undefined): Derived<boolean> {
  const flag = "--normalise true|false";
  const module = model.modules?.find(({ name }) => name === "Normalize");
  if (module !== undefined && wanted === false) {
    return refused(`--normalise false, but ${exportFiles.modules} has ${module.path}`, "--normalise true");
  }
  if (wanted !== undefined) return { value: wanted, source: "--normalise" };
  if (module !== undefined) return { value: true, source: `${exportFiles.modules} (${module.path})` };
  const similarity = model.prompts?.similarity_fn_name ?? undefined;
  switch (similarity) {
    case undefined:
      return { value: true, source: "assumed: cosine similarity, which is usual" };
    case "cosine":
      return { value: true, source: `${exportFiles.prompts} (similarity_fn_name cosine)` };
    case "dot":
      return { value: false, source: `${exportFiles.prompts} (similarity_fn_name dot)` };
    default:
      return { missing: `${exportFiles.prompts} compares by ${similarity}, the runtime by dot product`, flag };
  }
}
