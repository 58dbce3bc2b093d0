import { optional, preset } from "../../src/base/options.js";
import { exportForms } from "../choices.js";
import { choice, path, reference } from "./kinds.js";

/** `catalog export` */
export const exportCatalogOptions = {
  catalog: optional(reference, "catalog file or id; by default the latest in the history"),
  as: preset(choice(...exportForms), "yaml", "yaml and json contain the whole catalog, csv its examples"),
  out: optional(path, "new file to write; by default standard output"),
} as const;
