import type { QueueSettings } from "../../../stages/index.js";

interface QueueArguments {
  readonly queue: string | undefined;
  readonly queueCredentials: string | undefined;
  readonly queueCa: string | undefined;
  readonly queuePrefix: string;
  readonly inputs: string | undefined;
  readonly inputsCredentials: string | undefined;
  readonly shipTexts?: boolean;
}

/** Queue settings from the flags; null without --queue. */
export function queueOf(args: QueueArguments): QueueSettings | null {
  const { queue, queueCredentials, queueCa, queuePrefix, inputs, inputsCredentials, shipTexts } = args;
  if (queue === undefined) return null;
  return {
    url: queue,
    prefix: queuePrefix,
    ...(queueCredentials === undefined ? {} : { credentials: queueCredentials }),
    ...(queueCa === undefined ? {} : { ca: queueCa }),
    ...(inputs === undefined ? {} : { inputs }),
    ...(inputsCredentials === undefined ? {} : { inputs_credentials: inputsCredentials }),
    ...(shipTexts === true ? { ship_texts: true } : {}),
  };
}
