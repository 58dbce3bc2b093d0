import { chmod, lstat, mkdtemp, rename, rm } from "node:fs/promises";
import { connect, type Server } from "node:net";
import { dirname, join } from "node:path";
import { SluiceError } from "../../src/errors/error.js";

const ownerOnly = 0o600;

/**
 * Listens on a Unix socket that only its owner may use: it is created in a private folder and renamed with its final
 * mode, so that it is never open to others. A stale socket is replaced.
 * @returns ends listening and removes the socket
 * @throws {SluiceError} FILE_EXISTS, PORT_IN_USE, WRITE_FAILED
 */
export async function listenPrivately(server: Server, path: string): Promise<() => Promise<void>> {
  await requireFree(path);
  try {
    const folder = await mkdtemp(join(dirname(path), ".sluice-"));
    try {
      const made = join(folder, "s");
      await listening(server, made);
      await chmod(made, ownerOnly);
      await rename(made, path);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  } catch (cause) {
    server.close();
    const code = (cause as NodeJS.ErrnoException).code ?? "unknown";
    throw new SluiceError("WRITE_FAILED", `${path}: the control socket cannot be created (${code})`, {
      hint: "Use a short path in a folder that is writable for this user.",
      cause,
    });
  }
  return async () => {
    await new Promise<void>((resolve) => server.close(() => resolve()));
    await rm(path, { force: true });
  };
}

function listening(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(path, () => {
      server.off("error", reject);
      resolve();
    });
  });
}

async function requireFree(path: string): Promise<void> {
  const found = await lstat(path).catch(() => null);
  if (found === null) return;
  if (!found.isSocket()) {
    throw new SluiceError("FILE_EXISTS", `${path}: is no socket`, { hint: "Choose another path: --control PATH" });
  }
  if (await answers(path)) {
    throw new SluiceError("PORT_IN_USE", `${path}: another process is listening on it`, {
      hint: "Choose another path with --control, or stop the other server.",
    });
  }
}

function answers(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path);
    socket.once("connect", () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", () => resolve(false));
  });
}
