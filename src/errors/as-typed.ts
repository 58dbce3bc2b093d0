/** A command line of ours inside a sentence, not the name of a file, package or key. */
const commandLine = /(?<![\w/.@-])(?<!npx )(sluice(?:-serve)?)(?= (?:[a-z]|--))/g;

/**
 * Command lines as the reader can type them: the programs of a package that is installed in a folder are not on the
 * path, so that whoever came through npm goes on through npx.
 * @param env  npm sets `npm_command` for what it starts
 */
export function asTyped(text: string, env: Readonly<Record<string, string | undefined>>): string {
  return env["npm_command"] === undefined ? text : text.replace(commandLine, "npx $1");
}
