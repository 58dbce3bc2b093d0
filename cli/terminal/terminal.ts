import type { CliIo } from "../cli-io.js";
import { wantsColour } from "./colours.js";

/** How text is written to a stream: columns of the terminal, null where no person reads it, and whether in colour. */
export interface TextStyle {
  readonly columns: number | null;
  readonly colour: boolean;
}

/** Both streams of a command. */
export interface Styles {
  readonly stdout: TextStyle;
  readonly stderr: TextStyle;
}

/** Narrowest terminal for which text is folded. */
const fewestColumns = 40;

/** The styles of the streams, from the command line, the environment and the terminals. */
export function stylesOf(argv: readonly string[], { env, columns }: Pick<CliIo, "env" | "columns">): Styles {
  const styleOf = (own: number | null): TextStyle => ({
    columns: own === null ? null : Math.max(fewestColumns, own),
    colour: wantsColour(argv, env, own !== null),
  });
  return { stdout: styleOf(columns.stdout), stderr: styleOf(columns.stderr) };
}
