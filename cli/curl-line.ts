import { shellLine } from "./shell-line.js";

/**
 * A line that asks a running server for a route and works as printed.
 * @param data  the body, or `@` and the name of its file
 */
export function curlLine(address: string, data: string): string {
  return shellLine(["curl", "-s", `${address}/v1/route`, "-H", "content-type: application/json", "-d", data]);
}
