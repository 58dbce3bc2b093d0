import { createReadStream, fstatSync } from "node:fs";
import { Socket } from "node:net";
import type { Readable } from "node:stream";
import { isatty, ReadStream } from "node:tty";

/**
 * Opens a descriptor as a byte stream. A pipe is read as a socket, because a file stream would keep the process alive
 * after an interruption.
 * @throws the system's error if the descriptor cannot be read
 */
export function openDescriptor(descriptor: number): Readable {
  const isFile = fstatSync(descriptor).isFile();
  if (isatty(descriptor)) return new ReadStream(descriptor);
  if (isFile) return createReadStream("", { fd: descriptor });
  return new Socket({ fd: descriptor, readable: true, writable: false });
}
