import { SluiceError } from "../src/base/error.js";
import type { WorkbenchContext } from "../store/workbench-context.js";
import { readInput } from "../src/base/files.js";

/**
 * Bytes of the trust policy that the caller named, otherwise of the workspace's.
 * @throws {SluiceError} FILE_NOT_FOUND, READ_FAILED
 */
export async function readTrust(
  context: Pick<WorkbenchContext, "workspace">,
  file: string | undefined,
): Promise<Buffer> {
  if (file !== undefined) return readInput(file);
  return readInput(context.workspace.trust).catch((cause: unknown) => {
    if (!(cause instanceof SluiceError) || cause.code !== "FILE_NOT_FOUND") throw cause;
    throw new SluiceError("FILE_NOT_FOUND", `${context.workspace.trust}: no trust policy found here`, {
      hint: "Create one with: sluice trust create, or use --trust FILE",
      cause,
    });
  });
}
