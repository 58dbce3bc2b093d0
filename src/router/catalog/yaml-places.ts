import { isCollection, isMap, isScalar, LineCounter, type Node, type Pair, parseDocument } from "yaml";

/** A place in a file; both count from 1. */
export interface Place {
  readonly line: number;
  readonly column: number;
}

/** Finds places in a document; null for a document that is empty. */
export interface YamlPlaces {
  /** The place of the value that a JSON pointer names, or of the nearest value around it. */
  readonly valueAt: (pointer: string) => Place | null;
  /** The place of a field's name in the object that a JSON pointer names. */
  readonly fieldAt: (pointer: string, field: string) => Place | null;
}

/** Places in a YAML or JSON document, which is read again: only for messages. */
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

/** The steps of a JSON pointer, unescaped. */
export const stepsOf = (pointer: string): readonly string[] =>
  pointer
    .split("/")
    .slice(1)
    .map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));

const isPlaced = (node: unknown): node is Node & { readonly range: readonly [number, number, number] } =>
  typeof node === "object" && node !== null && "range" in node && Array.isArray(node.range);
