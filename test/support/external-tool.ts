import { spawnSync } from "node:child_process";
import type { uvu } from "uvu";
import type { Test } from "./registration.js";
import { skipTest } from "./shared.js";

/** Whether a program can be started here; `arguments_` make it end at once. */
function runs(program: string, ...arguments_: readonly string[]): boolean {
  const { error, status } = spawnSync(program, arguments_, { stdio: "ignore", timeout: 5000 });
  return error === undefined && status === 0;
}

const probes = {
  zsh: () => runs("zsh", "-f", "-c", "true"),
  fish: () => runs("fish", "--no-config", "-c", "true"),
  "redis-server": () => runs("redis-server", "--version"),
  openssl: () => runs("openssl", "version") && runs("redis-server", "--version"),
  nginx: () => runs("nginx", "-v") && runs("openssl", "version") && runs("curl", "--version"),
  "systemd-analyze": () => runs("systemd-analyze", "--version"),
  kubectl: () => runs("kubectl", "kustomize", "--help"),
  promtool: () => runs("promtool", "--version"),
  "ssh-agent": () => runs("sh", "-c", "command -v ssh-agent && command -v ssh-add && command -v ssh-keygen"),
  "ssh-keygen": () => runs("sh", "-c", "command -v ssh-keygen"),
  "python3 with cryptography": () => runs("python3", "-c", "import cryptography"),
  "unshare -n": () => runs("unshare", "-rn", "true"),
  "unshare -m with tmpfs": () => runs("unshare", "-rm", "mount", "-t", "tmpfs", "none", "/mnt"),
} as const;

/** Registers a test that needs a program of the system; without it the runner prints a line that names both. */
export function testWithTool<T>(test: Test<T>, tool: keyof typeof probes, name: string, body: uvu.Callback<T>): void {
  if (probes[tool]()) test(name, body);
  else skipTest(name, tool);
}
