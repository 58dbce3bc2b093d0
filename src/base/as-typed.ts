/** Matches a Sluice command line inside a sentence, but not the name of a file, package or key. */
const commandLine = /(?<![\w/.@-])(?<!npx )(sluice(?:-serve)?)(?= (?:[a-z]|--))/g;

/**
 * Rewrites command lines so that they run as printed: in a process started by npm they get the prefix npx, because
 * programs of a locally installed package are not on the path.
 * @param env  npm sets `npm_command` for what it starts
 */
export function asTyped(text: string, env: Readonly<Record<string, string | undefined>>): string {
  return env["npm_command"] === undefined ? text : text.replace(commandLine, "npx $1");
}
