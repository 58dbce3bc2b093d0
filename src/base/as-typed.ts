/** A command line of ours inside a sentence, not the name of a file, package or key. */
const commandLine = /(?<![\w/.@-])(?<!npx )(sluice(?:-serve)?)(?= (?:[a-z]|--))/g;

/**
 * Command lines that the reader can type: programs of a locally installed package are not on the path, so users who
 * came through npm continue with npx.
 * @param env  npm sets `npm_command` for what it starts
 */
export function asTyped(text: string, env: Readonly<Record<string, string | undefined>>): string {
  return env["npm_command"] === undefined ? text : text.replace(commandLine, "npx $1");
}
