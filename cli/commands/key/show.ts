import { defineCommand } from "../../command.js";
import { required } from "../../options.js";
import { path } from "../../parsers.js";
import { readInput } from "../../../workbench/read-input.js";
import { commandResult } from "../../result.js";
import { fields } from "../../table.js";

export const keyShow = defineCommand({
  name: ["key", "show"],
  describe: "Show the id of a public key",
  positionals: { file: required(path, "public key file (.pub.pem)") },
  options: {},
  examples: [
    ["sluice key show sluice-workspace/keys/alice.pub.pem", "the id that signatures carry"],
    ["sluice key show alice.pub.pem --json", "the same as a document"],
  ],
  run: async (_context, { file }) => {
    const { publicKeyFromFile } = await import("../../../src/artifacts/public-key.js");
    const key = publicKeyFromFile((await readInput(file)).toString("utf8"), file);
    const publicKey = key.raw.toString("base64");
    return commandResult({
      schema: "key@1",
      result: { file, key_id: key.keyId, public_key: publicKey },
      lines: fields([
        ["key id", key.keyId],
        ["public key", publicKey],
      ]),
    });
  },
});
