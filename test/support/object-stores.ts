import { createReadStream, existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type RequestListener } from "node:http";
import { dirname, join } from "node:path";

/** Runs a body with an HTTP server on a free port of this machine, and ends it with its connections. */
export async function withHttpServer<T>(listener: RequestListener, body: (url: string) => Promise<T>): Promise<T> {
  const server = createServer(listener);
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject).listen(0, "127.0.0.1", resolve);
  });
  const address = server.address();
  try {
    return await body(`http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`);
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

/** Reads and writes the files of a folder; everybody without the Authorization header is refused. */
export function servingFolder(folder: string, authorization: string | null = null): RequestListener {
  return (request, response) => {
    const file = join(folder, request.url ?? "");
    const end = (status: number): void => void response.writeHead(status).end();
    if (authorization !== null && request.headers.authorization !== authorization) return end(401);
    if (request.method === "PUT") {
      void bodyOf(request)
        .then(async (bytes) => {
          await mkdir(dirname(file), { recursive: true });
          await writeFile(file, bytes);
        })
        .then(
          () => end(201),
          () => end(500),
        );
      return;
    }
    if (!existsSync(file)) return end(404);
    response.writeHead(200);
    if (request.method === "HEAD") response.end();
    else createReadStream(file).pipe(response);
  };
}
