/** Every exit code of the command line and its meaning; printed at the end of each help text. */
export const exitCodes = {
  0: "success, every gate met",
  1: "unexpected failure (a fault of Sluice, input or output)",
  2: "usage or configuration error",
  3: "finished, but a gate was not met",
  4: "signature, identity or integrity check failed",
  5: "too many requests failed",
  130: "interrupted by Ctrl-C; finished work is saved",
  143: "interrupted by SIGTERM; finished work is saved",
} as const;
export type ExitCode = keyof typeof exitCodes;

/** The exit codes as lines of a help text, in ascending order. */
export function exitCodeLines(): readonly string[] {
  return Object.entries(exitCodes).map(([code, meaning]) => `  ${code.padStart(3)}  ${meaning}`);
}
