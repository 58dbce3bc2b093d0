/**
 * Runs `sluice` commands in this process, in temporary workspaces, so that a bench measures the same commands that
 * users run.
 */
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sluice } from "../../test/cli/support/sluice.js";

const folders: string[] = [];
process.once("exit", () => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

function emptyFolder(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), name));
  folders.push(folder);
  return folder;
}

/** Embedding cache shared by all projects of a bench, because catalogs of one dataset have the same requests. */
const vectors = emptyFolder("sluice-bench-vectors-");

/** Creates a folder for one project, which is deleted when the process ends. */
export function temporaryFolder(): string {
  const folder = emptyFolder("sluice-bench-");
  mkdirSync(join(folder, "sluice-workspace"));
  symlinkSync(vectors, join(folder, "sluice-workspace", "vectors"));
  return folder;
}

/** Runs `sluice ARGS --json` in a folder and returns its result. @throws if the command fails */
export async function command<T>(folder: string, ...args: readonly string[]): Promise<T> {
  const { code, stdout, stderr } = await sluice([...args, "--json"], { cwd: folder });
  if (code !== 0) throw new Error(`sluice ${args.join(" ")}: exit code ${code}\n${stdout}${stderr}`);
  return (JSON.parse(stdout) as { readonly result: T }).result;
}

/** A count `k` of `n`. */
export interface Counted {
  readonly k: number;
  readonly n: number;
}

/** The fields of the result of `calibrate fit` that the benches read. */
export interface FittedJson {
  readonly document: {
    readonly claims: readonly { readonly scope: string; readonly certified: boolean; readonly promise: string }[];
  };
  readonly evaluation: {
    readonly requests: number;
    readonly in_scope: number;
    readonly out_of_scope: number;
    readonly coverage: Counted;
    readonly in_scope_coverage: Counted;
    readonly selective_risk: Counted;
    readonly out_of_scope_routed: Counted;
    readonly verified_top1: Counted;
    readonly retrieval: { readonly top1: Counted; readonly recall_at5: Counted };
  };
}
