import { createHash, createHmac } from "node:crypto";
import { createReadStream, existsSync } from "node:fs";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type RequestListener } from "node:http";
import { dirname, join } from "node:path";
import S3rver from "s3rver";

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

/**
 * Passes on what has a valid AWS signature (version 4) with the secret; the rest is refused with 403.
 * Source: Amazon S3 API reference, "Signature Calculations for the Authorization Header"
 */
export function requiringSignature(secret: string, next: RequestListener): RequestListener {
  const hmac = (key: string | Buffer, text: string): Buffer => createHmac("sha256", key).update(text).digest();
  const form =
    /^AWS4-HMAC-SHA256 Credential=[^/]+\/(?<scope>(?<day>\d{8})\/(?<region>[^/]+)\/s3\/aws4_request), SignedHeaders=(?<names>[^,]+), Signature=(?<found>[0-9a-f]{64})$/;
  return (request, response) => {
    const { headers, method, url } = request;
    const {
      scope = "",
      day = "",
      region = "",
      names = "",
      found,
    } = form.exec(headers.authorization ?? "")?.groups ?? {};
    const signed = names.split(";").map((name) => `${name}:${String(headers[name]).trim()}\n`);
    const canonical = [method, url, "", signed.join(""), names, headers["x-amz-content-sha256"]].join("\n");
    const digest = createHash("sha256").update(canonical).digest("hex");
    const key = [region, "s3", "aws4_request"].reduce(hmac, hmac(`AWS4${secret}`, day));
    const expected = hmac(key, ["AWS4-HMAC-SHA256", headers["x-amz-date"], scope, digest].join("\n")).toString("hex");
    if (found === expected) next(request, response);
    else response.writeHead(403).end();
  };
}

/** Variables of the environment for a server with the interface of S3, which checks no signatures; its one bucket is `team`. */
export async function withS3<T>(
  folder: string,
  body: (env: Readonly<Record<string, string>>) => Promise<T>,
): Promise<T> {
  const directory = join(folder, "s3");
  const configureBuckets = [{ name: "team" }];
  const server = new S3rver({ address: "127.0.0.1", port: 0, silent: true, directory, configureBuckets });
  const { port } = await server.run();
  try {
    return await body({
      AWS_ACCESS_KEY_ID: "S3RVER",
      AWS_SECRET_ACCESS_KEY: "S3RVER",
      AWS_ENDPOINT_URL_S3: `http://127.0.0.1:${port}`,
      HOME: folder,
    });
  } finally {
    await server.close();
    await rm(directory, { recursive: true, force: true });
  }
}
