import { isNamed, names, partWords, plainName, sureTexts } from "./names.js";
import type { SourceInput, SourcePart, SourceWorkflow } from "./material.js";
import { isJsonObject, type JsonObject, listAt, textAt } from "./parse-json.js";
import { fromTemplate, isTemplate, isTextLike, joinedText, type TemplateRules, withoutMarks } from "./plain-text.js";
import { type Grid, gridOfObjects, turnsOf } from "./tables/grid.js";

/** A text under a name. */
export interface GroupText {
  readonly at: string;
  readonly text: unknown;
  /** null: out of scope; undefined: the file names no label, its name does. */
  readonly label: string | null | undefined;
  readonly part: SourcePart | null;
  /** As the file writes it, e.g. "en" or "en_US"; null when it does not say. */
  readonly language: string | null;
}

/** What a document of nested values holds. */
export interface Structures {
  readonly texts: readonly GroupText[];
  readonly workflows: readonly SourceWorkflow[];
  /** Lists of records with a text and a label by name, by their paths. */
  readonly tables: readonly (Grid & { readonly path: string; readonly part: SourcePart | null })[];
  /** Any other list of flat records, the longest first. */
  readonly lists: readonly { readonly path: string; readonly items: readonly unknown[] }[];
  /** Names of intents without texts, and paths of parts that hold no requests, with the numbers of their entries. */
  readonly empty: readonly string[];
  readonly skipped: readonly string[];
  readonly templates: number;
}

interface Place {
  readonly path: string;
  /** The nearest name above; undefined: there is none. */
  readonly name: string | null | undefined;
  readonly part: SourcePart | null;
}

/** Depth below which nothing is looked for. */
const deepest = 12;

/**
 * Finds the two structures of labelled requests at any key: groups of texts under a name, and rows. What the parts are
 * called comes from the table of names.
 */
export function findStructures(file: string, root: unknown, rules: TemplateRules = new Map()): Structures {
  return new Finder(file, rules).find(root);
}

class Finder {
  readonly #file: string;
  readonly #rules: TemplateRules;
  readonly #texts: GroupText[] = [];
  readonly #workflows: SourceWorkflow[] = [];
  readonly #tables: Structures["tables"][number][] = [];
  readonly #lists: Structures["lists"][number][] = [];
  readonly #empty: string[] = [];
  readonly #skipped: string[] = [];
  #templates = 0;

  constructor(file: string, rules: TemplateRules) {
    this.#file = file;
    this.#rules = rules;
  }

  find(root: unknown): Structures {
    const place = { path: "", name: undefined, part: null };
    const unlabelled = Array.isArray(root) && !root.some(hasTexts);
    if (unlabelled && root.length > 0 && isTexts(root)) {
      this.#addTexts(root, { ...place, label: undefined, language: null });
    } else this.#walk(root, place, 0);
    return {
      texts: this.#texts,
      workflows: this.#workflows,
      tables: this.#tables,
      lists: this.#lists.toSorted((a, b) => b.items.length - a.items.length),
      empty: this.#empty,
      skipped: this.#skipped,
      templates: this.#templates,
    };
  }

  #walk(value: unknown, place: Place, depth: number): void {
    if (depth > deepest) return;
    if (Array.isArray(value)) return this.#walkList(value, place, depth);
    if (!isJsonObject(value) || this.#foundTable(value, place) || this.#foundGroup(value, place)) return;
    if (this.#foundTurn(value, place)) return;
    for (const [key, inner] of Object.entries(value)) {
      const path = place.path === "" ? key : `${place.path}.${key}`;
      if (isNamed(key, names.outside) && isTexts(inner)) {
        this.#addTexts(listOf(inner), { ...place, path, label: null, language: null });
      } else if (isNamed(key, names.skipped) && !(plainName(key) === "messages")) this.#skip(path, inner);
      else if (plainName(key) === "patterns" && Array.isArray(inner) && inner.every(isJsonObject))
        this.#skip(path, inner);
      else {
        const part = partWords[key.toLowerCase()] ?? place.part;
        const below = isJsonObject(inner) && !isStructureName(key) ? key : place.name;
        this.#walk(inner, { path, name: below, part }, depth + 1);
      }
    }
  }

  #walkList(items: readonly unknown[], place: Place, depth: number): void {
    const objects = items.filter(isJsonObject);
    if (objects.length > 0 && objects.length === items.length && isLabelledRow(objects))
      return this.#addTable(items, place);
    if (objects.length > 1 && objects.length === items.length && objects.some(isFlat))
      this.#lists.push({ path: place.path, items });
    for (const [index, item] of items.entries())
      this.#walk(item, { ...place, path: `${place.path}[${index}]` }, depth + 1);
  }

  #skip(path: string, inner: unknown): void {
    const size =
      typeof inner === "string"
        ? listOf(inner).length
        : Array.isArray(inner)
          ? inner.length
          : isJsonObject(inner)
            ? Object.keys(inner).length
            : 0;
    if (size > 0) this.#skipped.push(`${path.replaceAll(/\[\d+\]/g, "[]")} (${size})`);
  }

  #addTable(items: readonly unknown[], { path, part }: Place): void {
    const at = (index: number): string => (path === "" ? `row ${index + 1}` : `${path}[${index}]`);
    this.#tables.push({ path, part, ...gridOfObjects(this.#file, items, at) });
  }

  /** Columns of a table by name, its rows by key, or columns and data. */
  #foundTable(value: JsonObject, place: Place): boolean {
    const { columns, data } = value;
    if (isNames(columns) && Array.isArray(data) && data.every(Array.isArray)) {
      const objects = data.map((cells: readonly unknown[]) =>
        Object.fromEntries(columns.map((name, at) => [name, cells[at]])),
      );
      this.#addTable(objects, { ...place, path: joined(place.path, "data") });
      return true;
    }
    const entries = Object.entries(value);
    const values = entries.map(([, inner]) => inner);
    if (values.length < 2) return false;
    if (values.every(isJsonObject) && isLabelledRow(values)) {
      this.#tables.push({
        path: place.path,
        part: place.part,
        ...gridOfObjects(this.#file, values, (index) => joined(place.path, entries[index]?.[0] ?? "")),
      });
      return true;
    }
    const keys = keysOfColumns(entries);
    if (keys === null) return false;
    const objects = keys.map((key) =>
      Object.fromEntries(
        entries.flatMap(([name, column]) => (isColumn(column) ? [[name, (column as JsonObject)[key]]] : [])),
      ),
    );
    this.#tables.push({
      path: place.path,
      part: place.part,
      ...gridOfObjects(this.#file, objects, (index) => `row ${keys[index] ?? ""}`),
    });
    return true;
  }

  /** A turn of a conversation that has a label: what a user said in a test story, and its intent. */
  #foundTurn(value: JsonObject, place: Place): boolean {
    const { user: said } = value;
    const label = labelIn(value);
    if (typeof said !== "string" || typeof label !== "string") return false;
    this.#addTexts([said], { ...place, path: joined(place.path, "user"), label, language: null });
    return true;
  }

  /** An object with texts and a name, or a map from names to texts. */
  #foundGroup(value: JsonObject, place: Place): boolean {
    const fields = Object.entries(value);
    const own = fields.filter(([key, inner]) => isNamed(key, names.texts) && (isTexts(inner) || inner === null));
    if (own.length > 0 && !this.#isMap(value, place)) {
      const name = nameOf(value) ?? place.name;
      const outside = isFallback(value);
      if (name === undefined && !outside && place.path !== "") {
        this.#skip(joined(place.path, Object.keys(value)[0] ?? ""), own[0]?.[1] ?? []);
        return true;
      }
      for (const [key, texts] of [
        ...own,
        ...fields.filter(([key, inner]) => isNamed(key, names.tests) && isTexts(inner)),
      ]) {
        const part = isNamed(key, names.tests) ? "test" : (partOf(value) ?? place.part);
        const group = { path: joined(place.path, key), name, part, label: outside ? null : name };
        if (isJsonObject(texts)) {
          for (const [language, inner] of Object.entries(texts)) {
            this.#addTexts(listOf(inner), { ...group, path: `${group.path}.${language}`, language });
          }
        } else this.#addTexts(listOf(texts), { ...group, language: textAt(value, "language") });
      }
      if (own.every(([, texts]) => sizeOf(texts) === 0)) this.#empty.push(name ?? place.path);
      else if (typeof name === "string" && !outside) {
        this.#workflows.push({
          label: name,
          description: textAt(value, "description"),
          inputs: inputsOf(value),
          effect: null,
        });
      }
      for (const [key, inner] of fields) {
        if (isNamed(key, names.outside) && isTexts(inner)) {
          this.#addTexts(listOf(inner), { ...place, path: joined(place.path, key), label: null, language: null });
        }
      }
      return true;
    }
    if (!this.#isMap(value, place)) return false;
    for (const [label, texts] of fields) {
      const outside = isNamed(label, names.outside);
      if (isTexts(texts)) {
        this.#addTexts(listOf(texts), {
          ...place,
          path: joined(place.path, label),
          label: outside ? null : label,
          language: null,
        });
      } else this.#skip(joined(place.path, label), texts);
    }
    return true;
  }

  /** Whether an object maps names to lists of texts: most of its values are lists of texts, and no key is a field. */
  #isMap(value: JsonObject, place: Place): boolean {
    const entries = Object.entries(value);
    const lists = entries.filter(
      ([, inner]) => Array.isArray(inner) && inner.length > 0 && inner.every((item) => typeof item === "string"),
    );
    if (place.name !== undefined || lists.length < 2 || lists.length * 2 < entries.length) return false;
    return lists.every(
      ([key]) => !isNamed(key, names.texts) && !isNamed(key, names.skipped) && !isNamed(key, names.groupName),
    );
  }

  #addTexts(items: readonly unknown[], group: Place & Pick<GroupText, "label" | "language">): void {
    const { path, label, part, language } = group;
    for (const [index, item] of items.entries()) {
      const found = joinedText(item);
      const template = typeof found === "string" && /sentences$/.test(path) && isTemplate(found);
      if (template) this.#templates += 1;
      const text =
        typeof found !== "string" ? found : template ? fromTemplate(found, this.#rules, index) : withoutMarks(found);
      this.#texts.push({ at: `${path}[${index}]`, text, label, part, language: language ?? textAt(item, "lang") });
    }
  }
}

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
  structureNames.has(plainName(key)) || partWords[key.toLowerCase()] !== undefined;

/** Keys of the rows of a table that is stored by columns; null when a value is not one. */
function keysOfColumns(entries: readonly (readonly [string, unknown])[]): readonly string[] | null {
  const columns = entries.filter(([, column]) => isColumn(column));
  const named = (wanted: readonly string[]): boolean => columns.some(([name]) => isNamed(name, wanted));
  if (columns.length < 2 || !named(names.text) || !named(names.label)) return null;
  const [first, ...others] = columns.map(([, column]) => Object.keys(column as object));
  return first !== undefined && others.every((keys) => keys.length === first.length) ? first : null;
}

const isColumn = (column: unknown): boolean =>
  typeof column === "object" &&
  column !== null &&
  Object.values(column).every((cell) => typeof cell !== "object" || cell === null);

const isNames = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.length > 0 && value.every((name) => typeof name === "string");

/** Names that say "the label of one text" without a doubt. */
const sureLabels = names.label.slice(0, 9);

/** Whether objects are rows: several of them have a text and a label by name. */
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

/** The label of a row by name; undefined when the object has none. */
function labelIn(item: unknown): unknown {
  if (!isJsonObject(item)) return undefined;
  const fields = inner(item);
  const found = fields.find(
    ([key, value]) => isNamed(key, sureLabels) && (typeof value !== "object" || value === null),
  );
  return found?.[1] ?? fields.find(([key, value]) => key === "assert" && Array.isArray(value))?.[1];
}

/** Whether an object has at least two fields that are no objects or lists. */
const isFlat = (object: JsonObject): boolean =>
  inner(object).filter(([, value]) => typeof value === "string" || typeof value === "number").length >= 2 ||
  Object.values(object).some((value) => turnsOf(value) !== null);

/** Whether an object has lists of texts of its own. */
const hasTexts = (item: unknown): boolean =>
  isJsonObject(item) && Object.entries(item).some(([key, value]) => isNamed(key, names.texts) && Array.isArray(value));

/** A list of texts, a block of lines that begin with a dash, or lists by language. */
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

/** Whether a name is a tag of a language, e.g. "en", "pt-BR" or "en_US". */
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

/** The name that an object gives itself; an object below that name may hold it: `intent: {name: …}`. */
function nameOf(object: unknown): string | undefined {
  if (!isJsonObject(object)) return undefined;
  for (const wanted of names.groupName) {
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

/** Whether an intent of an export is the one for everything else. */
export const isFallback = (object: unknown): boolean =>
  isJsonObject(object) &&
  (object["isFallback"] === true ||
    object["fallbackIntent"] === true ||
    /fallback/i.test(textAt(object, "parentIntentSignature") ?? ""));

/** Inputs that an intent names: its parameters or slots. */
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

/** Most values that are visited to describe a document. */
const mostVisited = 20_000;

/**
 * Where the texts of a document are, e.g. "intents[99].examples[].text", the most frequent paths first. The number is
 * the length of the first list of that path.
 */
export function shapeOf(root: unknown): readonly string[] {
  const counts = new Map<string, number>();
  const sizes = new Map<string, number>();
  let visited = 0;
  const visit = (value: unknown, path: string, depth: number): void => {
    visited += 1;
    if (visited > mostVisited || depth > deepest) return;
    if (Array.isArray(value)) {
      const below = `${path}[]`;
      sizes.set(below, Math.max(sizes.get(below) ?? 0, value.length));
      for (const item of value) visit(item, below, depth + 1);
    } else if (isJsonObject(value)) {
      const entries = Object.entries(value);
      const isMap = entries.length > 20;
      for (const [key, item] of entries) visit(item, joined(path, isMap ? "*" : key), depth + 1);
    } else if (typeof value === "string") counts.set(path, (counts.get(path) ?? 0) + 1);
  };
  visit(root, "", 0);
  return [...counts]
    .toSorted(([, a], [, b]) => b - a)
    .slice(0, 3)
    .map(([path]) => path.replace(/\[\]/, `[${sizes.get(path.slice(0, path.indexOf("[]") + 2)) ?? ""}]`));
}
