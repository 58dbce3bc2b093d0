import { createReadStream, fstatSync } from "node:fs";
import { Socket } from "node:net";
import type { Readable } from "node:stream";
import { isatty, ReadStream } from "node:tty";

/**
 * An open descriptor as a stream of bytes. A pipe is read as a socket: a file stream would keep the process
 * waiting for its end after an interruption.
 * @throws what the system reports when the descriptor cannot be read
 */
export function openDescriptor(descriptor: number): Readable {
  const isFile = fstatSync(descriptor).isFile();
  if (isatty(descriptor)) return new ReadStream(descriptor);
  if (isFile) return createReadStream("", { fd: descriptor });
  return new Socket({ fd: descriptor, readable: true, writable: false });
}
