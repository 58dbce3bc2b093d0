import { generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { TokenAlgorithm } from "../../../serve/authorizers/key-set.js";

/** An issuer's key with its id. */
export interface IssuerKey {
  readonly keyId: string;
  readonly algorithm: TokenAlgorithm;
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
}

export function issuerKey(algorithm: TokenAlgorithm, keyId = `key-${algorithm}`, rsaBits = 2048): IssuerKey {
  return { keyId, algorithm, ...keyPair(algorithm, rsaBits) };
}

function keyPair(algorithm: TokenAlgorithm, modulusLength: number) {
  if (algorithm === "RS256") return generateKeyPairSync("rsa", { modulusLength });
  if (algorithm === "ES256") return generateKeyPairSync("ec", { namedCurve: "P-256" });
  return generateKeyPairSync("ed25519");
}

/** A JSON Web Key Set of the public keys. */
export function keySet(keys: readonly IssuerKey[]): string {
  return JSON.stringify({
    keys: keys.map(({ keyId, publicKey }) => ({ ...publicKey.export({ format: "jwk" }), kid: keyId, use: "sig" })),
  });
}

const encode = (value: object | string): string =>
  Buffer.from(typeof value === "string" ? value : JSON.stringify(value)).toString("base64url");

/** A token of these claims; the header can be changed, also to contradict the key. */
/** @param claims  values, or a JSON text */
export function signToken(key: IssuerKey, claims: object | string, header: object = {}): string {
  const signed = `${encode({ alg: key.algorithm, typ: "JWT", kid: key.keyId, ...header })}.${encode(claims)}`;
  return `${signed}.${signatureOf(key, Buffer.from(signed)).toString("base64url")}`;
}

function signatureOf({ algorithm, privateKey }: IssuerKey, bytes: Buffer): Buffer {
  if (algorithm === "EdDSA") return sign(null, bytes, privateKey);
  if (algorithm === "RS256") return sign("sha256", bytes, privateKey);
  return sign("sha256", bytes, { key: privateKey, dsaEncoding: "ieee-p1363" });
}

/** A real server of a key set, which a test can change or break. */
export interface KeyServer {
  readonly url: string;
  readonly asked: { count: number };
  /** Answers the next requests. */
  answer: (response: ServerResponse) => void;
  close(): Promise<void>;
}

export async function keyServer(text: () => string): Promise<KeyServer> {
  const asked = { count: 0 };
  const http = createServer((_request, response) => {
    asked.count += 1;
    server.answer(response);
  });
  http.listen(0, "127.0.0.1");
  await once(http, "listening");
  const server: KeyServer = {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/jwks.json`,
    asked,
    answer: (response) => void response.setHeader("content-type", "application/json").end(text()),
    async close() {
      http.closeAllConnections();
      http.close();
      await once(http, "close");
    },
  };
  return server;
}
