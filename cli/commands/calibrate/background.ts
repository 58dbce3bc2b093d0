import type { BackgroundSource } from "../../../workbench/calibration/background-source.js";
import { path, type ValueKind } from "../../parsers.js";

/** Background requests of a fit. A file named like one of the words is given as ./none. */
export const backgroundSource: ValueKind<BackgroundSource> = {
  placeholder: "SOURCE",
  parse: (raw, name) => {
    if (raw === "auto" || raw === "none") return raw;
    return raw === "default" ? "shipped" : { file: path.parse(raw, name) };
  },
};
