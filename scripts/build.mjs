// Compiles the whole tree into an empty dist, so that no output of a removed source stays behind.
import { spawnSync } from "node:child_process";
import { rmSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
rmSync(new URL("../dist", import.meta.url), { recursive: true, force: true });
const tsc = fileURLToPath(new URL("../node_modules/typescript/bin/tsc", import.meta.url));
const { status } = spawnSync(process.execPath, [tsc, "-b", "tsconfig.build.json"], {
  cwd: root,
  stdio: ["ignore", 2, 2],
});
process.exitCode = status ?? 1;
