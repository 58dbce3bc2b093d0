import { type Static, Type } from "../../src/base/typebox.js";
import { checkSchema, matchesSchema } from "../../src/documents/check-schema.js";
import { SluiceError } from "../../src/base/error.js";
import type { BadRows } from "../../datasets/bad-rows.js";
import { decodeUtf8 } from "../../datasets/read-jsonl.js";
import { kindOf } from "../../datasets/describe.js";
import { parseJsonText } from "../../datasets/sources/parse-json.js";
import type { SourceFile } from "../../datasets/importers/imported-dataset.js";
import { isUsableText, unusableText } from "./usable-text.js";
import type { SgdWorkflow } from "./sgd-catalog.js";
import type { SgdRequest } from "./sgd-request.js";

/** The published files of one part: `schema.json` and its `dialogues_*.json`. */
export interface SgdPart {
  /** Name of the folder, e.g. "train". */
  readonly part: string;
  readonly schema: SourceFile;
  readonly dialogues: readonly SourceFile[];
}

const ServicesSchema = Type.Array(
  Type.Object({
    service_name: Type.String(),
    slots: Type.Array(Type.Object({ name: Type.String(), description: Type.String() })),
    intents: Type.Array(
      Type.Object({
        name: Type.String(),
        description: Type.String(),
        is_transactional: Type.Boolean(),
        required_slots: Type.Array(Type.String()),
        optional_slots: Type.Record(Type.String(), Type.String()),
      }),
    ),
  }),
);

const DialogueSchema = Type.Object({
  dialogue_id: Type.String(),
  services: Type.Array(Type.String()),
  turns: Type.Array(
    Type.Object({
      speaker: Type.String(),
      utterance: Type.String(),
      frames: Type.Array(
        Type.Object({
          service: Type.String(),
          state: Type.Optional(
            Type.Object({
              active_intent: Type.String(),
              slot_values: Type.Record(Type.String(), Type.Array(Type.String())),
            }),
          ),
        }),
      ),
    }),
  ),
});
type Dialogue = Static<typeof DialogueSchema>;
type Frame = Dialogue["turns"][number]["frames"][number];

/** Reads the intents of a `schema.json`. @throws {SluiceError} DOCUMENT_INVALID */
export function sgdWorkflows(schema: SourceFile): readonly SgdWorkflow[] {
  return checkSchema(ServicesSchema, parseJson(schema), schema.file).flatMap((service) => {
    const description = new Map(service.slots.map((slot) => [slot.name, slot.description]));
    const inputs = (names: readonly string[]) =>
      names.map((name) => ({ name, description: description.get(name) ?? "" }));
    return service.intents.map((intent) => ({
      workflow: `${service.service_name}.${intent.name}`,
      name: wordsOf(intent.name),
      description: intent.description,
      transactional: intent.is_transactional,
      required: inputs(intent.required_slots),
      optional: inputs(Object.keys(intent.optional_slots)),
    }));
  });
}

/** Splits camel case, e.g. "FindRestaurants" into "find restaurants". */
const wordsOf = (name: string): string => name.replace(/([a-z])([A-Z])/g, "$1 $2").toLowerCase();

/**
 * Extracts the requests of published dialogues: the user turns at which the intent of a service begins or changes.
 * @param workflows  intents of all parts
 * @throws {SluiceError} DOCUMENT_INVALID  a file is not a list
 */
export function sgdDialogueRequests(
  { part, dialogues }: SgdPart,
  workflows: readonly SgdWorkflow[],
  bad: BadRows,
): readonly SgdRequest[] {
  return dialogues.flatMap((source) => {
    const value = parseJson(source);
    const { file } = source;
    if (!Array.isArray(value)) {
      throw new SluiceError("DOCUMENT_INVALID", `${file}: found ${kindOf(value)}, expected a list of dialogues`);
    }
    return value.flatMap((dialogue: unknown, index) => {
      const refuse = (at: string, column: string, rule: string): void => bad.add({ file, at, column, rule });
      if (!matchesSchema(DialogueSchema, dialogue)) {
        refuse(`dialogue ${index}`, "", "expected dialogue_id, services and turns with frames");
        return [];
      }
      return requestsOf(dialogue, part, workflows).filter(({ text, turn }) => {
        if (isUsableText(text)) return true;
        refuse(`dialogue ${index} turn ${turn}`, "utterance", unusableText(text));
        return false;
      });
    });
  });
}

function requestsOf(dialogue: Dialogue, part: string, workflows: readonly SgdWorkflow[]): readonly SgdRequest[] {
  const inDialogue = workflows.filter(({ workflow }) => dialogue.services.some((s) => workflow.startsWith(`${s}.`)));
  const allowed = inDialogue.map(({ workflow }) => workflow);
  const active = new Map<string, string>();
  return dialogue.turns.flatMap(({ utterance, frames }, turn) =>
    frames.flatMap((frame): readonly SgdRequest[] => {
      const intent = beginningIntent(frame, active);
      const workflow = inDialogue.find((known) => known.workflow === `${frame.service}.${intent}`);
      if (workflow === undefined) return [];
      const given = Object.fromEntries(
        Object.entries(frame.state?.slot_values ?? {}).map(([name, [value]]) => [name, value ?? ""]),
      );
      const missing = workflow.required.map(({ name }) => name).filter((name) => !Object.hasOwn(given, name));
      const id = `sgd-${part}-${dialogue.dialogue_id}-${turn}-${frame.service}`;
      return [{ id, text: utterance, workflow: workflow.workflow, part, turn, allowed, given, missing }];
    }),
  );
}

/**
 * The intent of a frame if it differs from the active intent of its service, otherwise null. Updates `active`, which is
 * keyed by service.
 */
function beginningIntent(frame: Frame, active: Map<string, string>): string | null {
  const intent = frame.state?.active_intent;
  if (intent === undefined || intent === active.get(frame.service)) return null;
  active.set(frame.service, intent);
  return intent === "NONE" ? null : intent;
}

const parseJson = ({ file, bytes }: SourceFile): unknown => parseJsonText(file, decodeUtf8(bytes, file));
