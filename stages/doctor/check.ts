import { toSluiceError } from "../../src/base/error.js";

/** One finding about the machine or the workspace. */
export interface Check {
  readonly name: string;
  readonly ok: boolean;
  readonly found: string;
  /** The command or step that repairs it; null if nothing is wrong. */
  readonly repair: string | null;
}

/**
 * Checks one item of the workspace.
 * @param repair  used if the error has no hint
 * @param open  returns a description of the item
 */
export async function checkOpens(name: string, repair: string, open: () => Promise<string>): Promise<Check> {
  try {
    return { name, ok: true, found: await open(), repair: null };
  } catch (thrown) {
    const { code, message, hint } = toSluiceError(thrown);
    return { name, ok: false, found: `${code}: ${message}`, repair: hint ?? repair };
  }
}

/** Versions of the process that runs the command. */
export interface Host {
  /** Version of Node without a leading "v". */
  readonly node: string;
  /** Version of the native module interface, e.g. "115". */
  readonly abi: string;
  readonly platform: string;
  readonly arch: string;
}
