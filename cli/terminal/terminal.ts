import type { CliIo } from "../cli-io.js";
import { wantsColour } from "./colours.js";

/** Text style of a stream: width in columns (null: not a terminal), and whether to use colours. */
export interface TextStyle {
  readonly columns: number | null;
  readonly colour: boolean;
}

/** Styles of both output streams. */
export interface Styles {
  readonly stdout: TextStyle;
  readonly stderr: TextStyle;
}

/** Minimum width of a terminal for folding text. */
const fewestColumns = 40;

/** Determines the styles of the streams from the command line, the environment and the terminals. */
export function stylesOf(argv: readonly string[], { env, columns }: Pick<CliIo, "env" | "columns">): Styles {
  const styleOf = (own: number | null): TextStyle => ({
    columns: own === null ? null : Math.max(fewestColumns, own),
    colour: wantsColour(argv, env, own !== null),
  });
  return { stdout: styleOf(columns.stdout), stderr: styleOf(columns.stderr) };
}
