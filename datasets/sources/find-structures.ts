import { conversationNames, isNamed, isTextsName, names, partWords, plainName, sureTexts } from "./names.js";
import type { SourceInput, SourcePart, SourceWorkflow } from "./parsed-source.js";
import { isJsonObject, type JsonObject, listAt, textAt } from "./parse-json.js";
import { fromTemplate, isTemplate, isTextLike, joinedText, type TemplateRules, withoutMarks } from "./plain-text.js";
import { entityIntent, type Grid, gridOfObjects, turnsOf } from "./tables/grid.js";

export interface GroupText {
  readonly at: string;
  readonly text: unknown;
  /** null: out of scope; undefined: the file has no label, so the file name is the label. */
  readonly label: string | null | undefined;
  readonly part: SourcePart | null;
  /** Language tag as written in the file, e.g. "en" or "en_US"; null if there is none. */
  readonly language: string | null;
}

/** Structures found in a document of nested values. */
export interface Structures {
  readonly texts: readonly GroupText[];
  readonly workflows: readonly SourceWorkflow[];
  /** Lists of records with a text field and a label field, recognised by name. */
  readonly tables: readonly (Grid & { readonly path: string; readonly part: SourcePart | null })[];
  /** All other lists of flat records, longest first. */
  readonly lists: readonly { readonly path: string; readonly items: readonly unknown[] }[];
  /** Names of intents without texts, and paths of parts without requests, followed by their number of entries. */
  readonly empty: readonly string[];
  readonly skipped: readonly string[];
  readonly templates: number;
}

interface Place {
  readonly path: string;
  /** The nearest name on the path from the root; undefined if there is none. */
  readonly name: string | null | undefined;
  readonly part: SourcePart | null;
}

/** Maximum depth of the search. */
const deepest = 12;

/**
 * Finds the two structures of labelled requests at any key: named groups of texts, and rows. Fields are recognised by
 * the table of names.
 */
export function findStructures(file: string, root: unknown, rules: TemplateRules = new Map()): Structures {
  return new Finder(file, rules).find(root);
}

class Finder {
  readonly #file: string;
  readonly #rules: TemplateRules;
  readonly #found = {
    texts: [] as GroupText[],
    workflows: [] as SourceWorkflow[],
    tables: [] as Structures["tables"][number][],
    lists: [] as Structures["lists"][number][],
    empty: [] as string[],
    skipped: [] as string[],
    templates: 0,
  };

  constructor(file: string, rules: TemplateRules) {
    this.#file = file;
    this.#rules = rules;
  }

  find(root: unknown): Structures {
    const place = { path: "", name: undefined, part: null };
    const isList = Array.isArray(root) && root.length > 0 && !root.some(hasTexts) && isTexts(root);
    if (isList) this.#addTexts(root, { ...place, label: undefined, language: null });
    else this.#walk(root, place, 0);
    return { ...this.#found, lists: this.#found.lists.toSorted((a, b) => b.items.length - a.items.length) };
  }

  #walk(value: unknown, place: Place, depth: number): void {
    if (depth > deepest) return;
    if (Array.isArray(value)) return this.#walkList(value, place, depth);
    if (!isJsonObject(value)) return;
    if (this.#foundTable(value, place) || this.#foundGroup(value, place, depth) || this.#foundMap(value, place)) return;
    if (this.#foundTurn(value, place)) return;
    const own = nameOf(value, namesAbove);
    const entries = Object.entries(value);
    const isList = own === undefined || entries.filter(([, inner]) => holdsTexts(inner)).length > 1;
    for (const [key, inner] of entries) {
      this.#walkField(key, inner, { ...place, name: own ?? place.name }, { depth, isList });
    }
  }

  /** @param isList  whether the keys of the object are names; otherwise they are fields of what has a name already */
  #walkField(
    key: string,
    inner: unknown,
    place: Place,
    { depth, isList }: { readonly depth: number; readonly isList: boolean },
  ): void {
    const path = joined(place.path, key);
    if (this.#foundOutside(key, inner, { ...place, path })) return;
    if (isSkipped(key, inner)) return this.#skip(path, inner);
    const name = isList && isJsonObject(inner) && !isStructureName(key) ? key : place.name;
    this.#walk(inner, { path, name, part: partWords[key.toLowerCase()] ?? place.part }, depth + 1);
  }

  #walkList(items: readonly unknown[], place: Place, depth: number): void {
    const objects = items.filter(isJsonObject);
    if (objects.length > 0 && objects.length === items.length) {
      const named = objects.map((object, at) => ({ path: `${place.path}[${at}]`, name: String(at), object }));
      if (this.#foundConversations(named, place)) return;
      if (isLabelledRow(objects)) {
        return this.#addTable(items, place, (at) => (place.path === "" ? `row ${at + 1}` : `${place.path}[${at}]`));
      }
      if (objects.length > 1 && objects.some(isFlat)) this.#found.lists.push({ path: place.path, items });
    }
    for (const [at, item] of items.entries()) this.#walk(item, { ...place, path: `${place.path}[${at}]` }, depth + 1);
  }

  #skip(path: string, inner: unknown): void {
    const size = isJsonObject(inner) ? Object.keys(inner).length : listOf(inner).length;
    if (size > 0) this.#found.skipped.push(`${path.replaceAll(/\[\d+\]/g, "[]")} (${size})`);
  }

  #addTable(items: readonly unknown[], { path, part }: Place, at: (index: number) => string): void {
    this.#found.tables.push({ path, part, ...gridOfObjects(this.#file, items, at) });
  }

  /** A table stored as columns and data, as rows by key, or as columns by name. */
  #foundTable(value: JsonObject, place: Place): boolean {
    const { columns, data } = value;
    if (isNames(columns) && Array.isArray(data) && data.every(Array.isArray)) {
      const rowOf = (cells: readonly unknown[]) => Object.fromEntries(columns.map((name, at) => [name, cells[at]]));
      this.#addTable(data.map(rowOf), place, (at) => `${joined(place.path, "data")}[${at}]`);
      return true;
    }
    const entries = Object.entries(value);
    const values = entries.map(([, inner]) => inner);
    if (values.every(isJsonObject)) {
      const named = entries.map(([name, object]) => ({
        path: joined(place.path, name),
        name,
        object: object as JsonObject,
      }));
      if (this.#foundConversations(named, place)) return true;
    }
    if (values.length > 1 && values.every(isJsonObject) && isLabelledRow(values)) {
      this.#addTable(values, place, (at) => joined(place.path, entries[at]?.[0] ?? ""));
      return true;
    }
    const keys = keysOfColumns(entries);
    if (keys === null) return false;
    const cell = (column: unknown, key: string): unknown => (column as JsonObject)[key];
    const named = entries.filter(([, column]) => isColumn(column));
    const rows = keys.map((key) => Object.fromEntries(named.map(([name, column]) => [name, cell(column, key)])));
    this.#addTable(rows, place, (at) => `row ${keys[at] ?? ""}`);
    return true;
  }

  /** A list of labelled turns with their speaker in each object: one table of all turns, with the conversation as a column. */
  #foundConversations(conversations: readonly Conversation[], place: Place): boolean {
    const turns = conversations.flatMap(turnsOfConversation);
    const rows = turns.map(({ row }) => row);
    const isRead = new Set(turns.map(({ name }) => name)).size > 1 && isLabelledRow(rows);
    if (isRead) this.#addTable(rows, place, (at) => turns[at]?.path ?? "");
    return isRead;
  }

  /** A labelled turn of a conversation: a user utterance in a test story, and its intent. */
  #foundTurn(value: JsonObject, place: Place): boolean {
    const { user: said } = value;
    const label = labelIn(value);
    if (typeof said !== "string" || typeof label !== "string") return false;
    this.#addTexts([said], { ...place, path: joined(place.path, "user"), label, language: null });
    return true;
  }

  #foundOutside(key: string, inner: unknown, place: Place): boolean {
    if (!isNamed(key, names.outside) || !isTexts(inner)) return false;
    this.#addTexts(listOf(inner), { ...place, label: null, language: null });
    return true;
  }

  #foundGroup(value: JsonObject, place: Place, depth: number): boolean {
    const own = Object.entries(value).filter(isOwnTexts);
    if (own.length === 0 || isMap(value, place)) return false;
    const name = nameOf(value) ?? place.name;
    const isNameless = name === undefined && place.path !== "" && !isFallback(value);
    if (isNameless) this.#skip(joined(place.path, Object.keys(value)[0] ?? ""), own[0]?.[1]);
    else this.#addGroup(value, own, { ...place, name });
    this.#walkInner(value, { ...place, name }, depth);
    return true;
  }

  /** Intents may have further ones inside. */
  #walkInner(value: JsonObject, place: Place, depth: number): void {
    for (const [key, inner] of Object.entries(value)) {
      const holdsGroups = !isTextsName(key) && Array.isArray(inner) && inner.some(hasTexts) && !isSkipped(key, inner);
      if (holdsGroups) this.#walk(inner, { ...place, path: joined(place.path, key) }, depth + 1);
    }
  }

  #addGroup(value: JsonObject, own: readonly (readonly [string, unknown])[], place: Place): void {
    const { name } = place;
    const label = isFallback(value) ? null : name;
    const group = { name, label, part: partOf(value) ?? place.part, language: textAt(value, "language") };
    for (const [key, texts] of own) this.#addByLanguage(texts, { ...group, path: joined(place.path, key) });
    for (const [key, texts] of Object.entries(value))
      this.#addBesides(key, texts, { ...group, path: joined(place.path, key) });
    const isEmpty = own.every(([, texts]) => sizeOf(texts) === 0);
    if (isEmpty) this.#found.empty.push(name ?? place.path);
    else if (typeof label === "string") this.#found.workflows.push(workflowOf(label, value));
  }

  #addBesides(key: string, texts: unknown, group: TextPlace): void {
    if (isNamed(key, names.tests) && isTexts(texts)) this.#addByLanguage(texts, { ...group, part: "test" });
    else this.#foundOutside(key, texts, group);
  }

  #foundMap(value: JsonObject, place: Place): boolean {
    if (!isMap(value, place)) return false;
    for (const [label, texts] of Object.entries(value)) {
      const path = joined(place.path, label);
      if (this.#foundOutside(label, texts, { ...place, path })) continue;
      if (isTexts(texts)) this.#addTexts(listOf(texts), { ...place, path, label, language: null });
      else this.#skip(path, texts);
    }
    return true;
  }

  #addByLanguage(texts: unknown, group: TextPlace): void {
    if (!isJsonObject(texts)) return this.#addTexts(listOf(texts), group);
    for (const [language, list] of Object.entries(texts)) {
      this.#addTexts(listOf(list), { ...group, path: `${group.path}.${language}`, language });
    }
  }

  #addTexts(items: readonly unknown[], { path, label, part, language }: TextPlace): void {
    const isTemplates = path.endsWith("sentences");
    for (const [index, item] of items.entries()) {
      const found = joinedText(item);
      const template = isTemplates && typeof found === "string" && isTemplate(found);
      if (template) this.#found.templates += 1;
      const plain = (text: string): string => (template ? fromTemplate(text, this.#rules, index) : withoutMarks(text));
      const text = typeof found === "string" ? plain(found) : found;
      this.#found.texts.push({
        at: `${path}[${index}]`,
        text,
        label,
        part,
        language: language ?? textAt(item, "lang"),
      });
    }
  }
}

/** An object that may hold the turns of a conversation, and its name if it states none. */
interface Conversation {
  readonly path: string;
  readonly name: string;
  readonly object: JsonObject;
}

function turnsOfConversation({ path, name, object }: Conversation) {
  const isTurn = (turn: unknown): turn is JsonObject =>
    isJsonObject(turn) && Object.keys(turn).some((key) => isNamed(key, names.role));
  const lists = Object.entries(object).filter(
    ([, list]) => Array.isArray(list) && list.length > 0 && list.every(isTurn),
  );
  const [[key, turns] = ["", []], ...others] = lists;
  if (others.length > 0 || labelIn(object) !== undefined) return [];
  const id =
    Object.entries(object).find(([field]) => field === "id" || conversationNames.id.test(plainName(field)))?.[1] ??
    name;
  return (turns as readonly JsonObject[]).map((turn, at) => ({
    path: `${joined(path, key)}[${at}]`,
    name,
    row: { ...turn, conversation_id: id },
  }));
}

const workflowOf = (label: string, value: JsonObject): SourceWorkflow => ({
  label,
  description: textAt(value, "description"),
  inputs: inputsOf(value),
  effect: null,
});

const isOwnTexts = ([key, inner]: readonly [string, unknown]): boolean =>
  isTextsName(key) && (isTexts(inner) || inner === null);

type TextPlace = Place & Pick<GroupText, "label" | "language">;

/** Whether an object maps names to lists of texts: most of its values are lists of texts, and no key is a field. */
function isMap(value: JsonObject, place: Place): boolean {
  const entries = Object.entries(value);
  const isList = (inner: unknown): boolean =>
    Array.isArray(inner) && inner.length > 0 && inner.every((item) => isTextLike(item) && labelIn(item) === undefined);
  const lists = entries.filter(([, inner]) => isList(inner));
  if (place.name !== undefined || lists.length < 2 || lists.length * 2 < entries.length) return false;
  const fields = [...names.texts, ...names.skipped, ...names.groupName];
  return lists.every(([key]) => !isNamed(key, fields) && !isTextsName(key));
}

/** Whether a part of an export contains no requests; LUIS patterns are templates of entities. */
const isSkipped = (key: string, inner: unknown): boolean =>
  plainName(key) === "patterns"
    ? Array.isArray(inner) && inner.every(isJsonObject)
    : isNamed(key, names.skipped) && plainName(key) !== "messages";

const joined = (path: string, key: string): string => (path === "" ? key : `${path}.${key}`);

const structureNames = new Set([
  ...names.texts,
  ...names.tests,
  ...names.groupName,
  "intents",
  "data",
  "nlu",
  "rasanludata",
  "resource",
  "bot",
  "assets",
  "signals",
]);
const isStructureName = (key: string): boolean =>
  structureNames.has(plainName(key)) || isTextsName(key) || partWords[key.toLowerCase()] !== undefined;

/** Row keys of a table that is stored by columns; null if a value is not a column. */
function keysOfColumns(entries: readonly (readonly [string, unknown])[]): readonly string[] | null {
  const columns = entries.filter(([, column]) => isColumn(column));
  const named = (wanted: readonly string[]): boolean => columns.some(([name]) => isNamed(name, wanted));
  if (columns.length < 2 || !named(sureTexts) || !named(names.label)) return null;
  const [first, ...others] = columns.map(([, column]) => Object.keys(column as object));
  return first !== undefined && others.every((keys) => keys.join() === first.join()) ? first : null;
}

const isColumn = (column: unknown): boolean =>
  typeof column === "object" &&
  column !== null &&
  Object.values(column).every((cell) => typeof cell !== "object" || cell === null);

const isNames = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.length > 0 && value.every((name) => typeof name === "string");

/** Names that unambiguously denote the label of one text. */
const sureLabels = names.label.slice(0, 9);

/** Whether objects are labelled rows: several of them have a text field and a label field. */
function isLabelledRow(objects: readonly JsonObject[]): boolean {
  const head = objects.slice(0, 50);
  const rows = head.filter((object) => labelIn(object) !== undefined && textIn(object));
  return rows.length > 0 && rows.length * 5 >= head.length;
}

const inner = (object: JsonObject): readonly (readonly [string, unknown])[] =>
  Object.entries(object).flatMap(([key, value]): readonly (readonly [string, unknown])[] =>
    isJsonObject(value) && (key === "row" || key === "vars" || key === "fields")
      ? Object.entries(value)
      : [[key, value]],
  );

const textIn = (object: JsonObject): boolean =>
  isJsonObject(object["vars"]) ||
  inner(object).some(([key, value]) => isNamed(key, sureTexts) && typeof value === "string");

/** The label of a row; undefined if no field has the name of a label. */
function labelIn(item: unknown): unknown {
  if (!isJsonObject(item)) return undefined;
  const fields = inner(item);
  const found = fields.find(
    ([key, value]) => isNamed(key, sureLabels) && (typeof value !== "object" || value === null),
  );
  return (
    found?.[1] ??
    entityIntent("entities", item["entities"]) ??
    fields.find(([key, value]) => key === "assert" && Array.isArray(value))?.[1]
  );
}

/** Whether an object has at least two text or number fields, or a conversation. */
const isFlat = (object: JsonObject): boolean =>
  inner(object).filter(([, value]) => typeof value === "string" || typeof value === "number").length >= 2 ||
  Object.values(object).some((value) => turnsOf(value) !== null);

const holdsTexts = (value: unknown): boolean =>
  hasTexts(value) || (isJsonObject(value) && Object.values(value).some(hasTexts));

const hasTexts = (item: unknown): boolean =>
  isJsonObject(item) && Object.entries(item).some(([key, value]) => isTextsName(key) && Array.isArray(value));

/** Whether a value is a list of texts, a block of lines that begin with a dash, or a map from languages to lists. */
function isTexts(value: unknown): boolean {
  if (typeof value === "string") return /^\s*[-*]\s/.test(value);
  if (Array.isArray(value)) {
    const texts = value.filter((item) => isTextLike(item)).length;
    return texts * 2 >= value.length && value.every((item) => labelIn(item) === undefined);
  }
  return (
    isJsonObject(value) &&
    Object.entries(value).length > 0 &&
    Object.entries(value).every(([key, list]) => isLanguage(key) && Array.isArray(list) && list.every(isTextLike))
  );
}

/** Whether a name is a language tag, e.g. "en", "pt-BR" or "en_US". */
export const isLanguage = (name: string): boolean =>
  /^[a-z]{2}(?:[-_](?:[A-Za-z]{2}|[A-Z][a-z]{3}))?$/.test(name) && languageNames.of(name.slice(0, 2)) !== undefined;

const languageNames = new Intl.DisplayNames(["en"], { type: "language", fallback: "none" });

function listOf(value: unknown): readonly unknown[] {
  if (typeof value !== "string") return Array.isArray(value) ? (value as readonly unknown[]) : [];
  return value.split("\n").flatMap((line) => {
    const [, phrase] = /^\s*[-*]\s+(.*)$/.exec(line) ?? [];
    return phrase === undefined ? [] : [phrase];
  });
}

const sizeOf = (texts: unknown): number =>
  isJsonObject(texts)
    ? Object.values(texts).reduce((sum: number, list) => sum + listOf(list).length, 0)
    : listOf(texts).length;

/** Fields whose value names what is inside of an object; a key of a record names nothing. */
const namesAbove = names.groupName.filter((name) => name !== "id");

/** The name of a group, which may be nested: `intent: {name: …}`. */
function nameOf(object: unknown, fields: readonly string[] = names.groupName): string | undefined {
  if (!isJsonObject(object)) return undefined;
  for (const wanted of fields) {
    for (const [key, value] of Object.entries(object)) {
      if (!isNamed(key, [wanted])) continue;
      const name = isJsonObject(value)
        ? textAt(value, "name")
        : typeof value === "number"
          ? String(value)
          : textAt(object, key);
      if (name !== null) return name;
    }
  }
  return undefined;
}

const partOf = (object: JsonObject): SourcePart | undefined =>
  partWords[(textAt(object, "dataset") ?? textAt(object, "split") ?? "").toLowerCase()];

export const isFallback = (object: unknown): boolean =>
  isJsonObject(object) &&
  (object["isFallback"] === true ||
    object["fallbackIntent"] === true ||
    /fallback/i.test(textAt(object, "parentIntentSignature") ?? ""));

export function inputsOf(object: unknown): readonly SourceInput[] {
  const all = [
    ...listAt(object, "parameters"),
    ...listAt(object, "slots"),
    ...listAt(object, "responses").flatMap((response) => listAt(response, "parameters")),
  ];
  const named = all.flatMap((input) => {
    const name = textAt(input, "name") ?? textAt(input, "displayName");
    const required = isJsonObject(input) && (input["required"] === true || input["slotConstraint"] === "Required");
    return name === null ? [] : [[name, { name, description: textAt(input, "description") ?? "", required }] as const];
  });
  return [...new Map(named).values()];
}
