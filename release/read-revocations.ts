import { dirname, join } from "node:path";
import { SluiceError } from "../src/base/error.js";
import type { WorkbenchContext } from "../store/workbench-context.js";
import { readInput } from "../src/base/files.js";

/** Path of the revocation list: the one that the caller named, otherwise the one next to the trust policy. */
export function revocationsFile(
  context: Pick<WorkbenchContext, "workspace">,
  args: { readonly revocations: string | undefined; readonly trust: string | undefined },
): string {
  return args.revocations ?? join(dirname(args.trust ?? context.workspace.trust), "revocations.json");
}

/**
 * Bytes of that list; null if the caller named none and there is none next to the trust policy.
 * @throws {SluiceError} FILE_NOT_FOUND, READ_FAILED
 */
export async function readRevocations(
  context: Pick<WorkbenchContext, "workspace">,
  args: { readonly revocations: string | undefined; readonly trust: string | undefined },
): Promise<Buffer | null> {
  const file = revocationsFile(context, args);
  return args.revocations === undefined ? readIfThere(file) : readInput(file);
}

/** @throws {SluiceError} READ_FAILED */
export async function readIfThere(file: string): Promise<Buffer | null> {
  return readInput(file).catch((cause: unknown) => {
    if (cause instanceof SluiceError && cause.code === "FILE_NOT_FOUND") return null;
    throw cause;
  });
}
