import { isCollection, isMap, isScalar, LineCounter, type Node, type Pair, parseDocument } from "yaml";

/** Line and column in a file, both starting at 1. */
export interface Place {
  readonly line: number;
  readonly column: number;
}

/** Finds positions in a document; null for an empty document. */
export interface YamlPlaces {
  /** The position of the value at a JSON pointer, or of the nearest enclosing value. */
  readonly valueAt: (pointer: string) => Place | null;
  /** The position of a field name in the object at a JSON pointer. */
  readonly fieldAt: (pointer: string, field: string) => Place | null;
}

/** Locates values in a YAML or JSON document. Parses the document again, so it is used for messages only. */
export function yamlPlaces(bytes: Uint8Array): YamlPlaces {
  const lineCounter = new LineCounter();
  const document = parseDocument(new TextDecoder().decode(bytes), { lineCounter, keepSourceTokens: true });
  const placeOf = (node: unknown): Place | null => {
    if (!isPlaced(node)) return null;
    const { line, col } = lineCounter.linePos(node.range[0]);
    return { line, column: col };
  };
  const nodeAt = (pointer: string): Node | null => {
    let node: Node | null = document.contents;
    for (const step of stepsOf(pointer)) {
      const next: unknown = isCollection(node) ? node.get(/^\d+$/.test(step) ? Number(step) : step, true) : undefined;
      if (!isPlaced(next)) break;
      node = next;
    }
    return node;
  };
  return {
    valueAt: (pointer) => placeOf(nodeAt(pointer)),
    fieldAt: (pointer, field) => {
      const map = nodeAt(pointer);
      const pairs: readonly Pair[] = isMap(map) ? map.items : [];
      const pair = pairs.find(({ key }) => isScalar(key) && key.value === field);
      return placeOf(pair?.key) ?? placeOf(map);
    },
  };
}

/** The unescaped segments of a JSON pointer. */
export const stepsOf = (pointer: string): readonly string[] =>
  pointer
    .split("/")
    .slice(1)
    .map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));

const isPlaced = (node: unknown): node is Node & { readonly range: readonly [number, number, number] } =>
  typeof node === "object" && node !== null && "range" in node && Array.isArray(node.range);
