import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import ts from "typescript";
import { packageRoot } from "./package-root.js";

/** The client that is generated from docs/openapi.json. */
export const clientPath: string = join(packageRoot, "docs/examples/route-client.ts");

const options: ts.CompilerOptions = {
  strict: true,
  noEmit: true,
  skipLibCheck: true,
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  lib: ["lib.es2022.d.ts", "lib.dom.d.ts"],
  types: [],
};

/** Compiler messages for a program that imports the client from "./route-client.js". */
export function clientMessages(program: string): readonly string[] {
  const folder = mkdtempSync(join(tmpdir(), "sluice-client-"));
  try {
    writeFileSync(join(folder, "package.json"), '{"type":"module"}');
    writeFileSync(join(folder, "route-client.ts"), readFileSync(clientPath));
    writeFileSync(join(folder, "use.ts"), program);
    const diagnostics = ts.getPreEmitDiagnostics(ts.createProgram([join(folder, "use.ts")], options));
    return diagnostics.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, " "));
  } finally {
    rmSync(folder, { recursive: true });
  }
}
