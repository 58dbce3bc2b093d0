import type { Layers } from "./layers.js";

/** An import from one room to another. */
export interface RoomImport {
  readonly from: string;
  readonly to: string;
}

interface Box {
  readonly room: string;
  /** Middle of the box. */
  readonly x: number;
  readonly y: number;
  readonly width: number;
}

const style = `text { font: 13px sans-serif; fill: #1f2328 } .small { font-size: 11px } .note { fill: #57606a }
  .room { fill: #eef4fb; stroke: #4a6a8a } .core { fill: #fff6e0; stroke: #a07820 }
  .way { fill: none; stroke: #8594a4; stroke-width: 1.1 } .dot { fill: #4a6a8a } .grid { stroke: #d8dee4 }`;

const width = 980;
const floorHeight = 66;
const boxHeight = 30;
const cell = 22;
const labelWidth = 170;

/** Top floor first, and the rooms of a floor in the order of the table. */
const roomsFromTheTop = (floors: Layers["floors"]): readonly (readonly string[])[] => [...floors].reverse();

/** Boxes in rows: one row for each floor, spread over the width. */
function boxesOf(floors: Layers["floors"]): ReadonlyMap<string, Box> {
  const boxes = roomsFromTheTop(floors).flatMap((floor, row) =>
    floor.map((room, column) => ({
      room,
      x: Math.round(((column + 1) * width) / (floor.length + 1)),
      y: 60 + row * floorHeight,
      width: 24 + room.length * 8,
    })),
  );
  return new Map(boxes.map((box) => [box.room, box]));
}

/** Imports that no chain of other imports explains: those that are drawn as arrows. */
export function withoutShortcuts(imports: readonly RoomImport[]): readonly RoomImport[] {
  const targets = new Map<string, string[]>();
  for (const { from, to } of imports) targets.set(from, [...(targets.get(from) ?? []), to]);
  const reaches = (from: string, to: string): boolean =>
    (targets.get(from) ?? []).some((next) => next === to || reaches(next, to));
  return imports.filter(({ from, to }) => !(targets.get(from) ?? []).some((next) => next !== to && reaches(next, to)));
}

function arrow(boxes: ReadonlyMap<string, Box>, { from, to }: RoomImport): string {
  const [above, below] = [boxes.get(from), boxes.get(to)];
  if (above === undefined || below === undefined) throw new Error(`${from} to ${to}: a room that is on no floor`);
  const [start, end] = [above.y + boxHeight / 2, below.y - boxHeight / 2 - 5];
  const bend = Math.round((end - start) / 2);
  const path = `M${above.x} ${start}C${above.x} ${start + bend} ${below.x} ${end - bend} ${below.x} ${end}`;
  return `<path class="way" marker-end="url(#tip)" d="${path}"/>`;
}

function box({ room, x, y, width: wide }: Box): string {
  const kind = room.startsWith("src") ? "room core" : "room";
  const frame = `<rect class="${kind}" x="${x - wide / 2}" y="${y - boxHeight / 2}" width="${wide}" height="${boxHeight}" rx="6"/>`;
  return `${frame}<text x="${x}" y="${y + 4}" text-anchor="middle">${room}</text>`;
}

/** Every import as a dot: rows import, columns are imported; a dot left of the diagonal would go up. */
function table(rooms: readonly string[], imports: readonly RoomImport[], top: number): readonly string[] {
  const edge = rooms.length * cell;
  const at = (index: number): number => index * cell + cell / 2;
  const lines = rooms.flatMap((room, index) => [
    `<text class="small" x="${labelWidth - 8}" y="${top + at(index) + 4}" text-anchor="end">${room}</text>`,
    `<text class="small" transform="translate(${labelWidth + at(index) + 4} ${top - 8}) rotate(-60)">${room}</text>`,
    `<path class="grid" d="M${labelWidth} ${top + at(index)}h${edge}M${labelWidth + at(index)} ${top}v${edge}"/>`,
  ]);
  const diagonal = `<path class="way" d="M${labelWidth} ${top}l${edge} ${edge}"/>`;
  const dots = imports.map(({ from, to }) => {
    const [row, column] = [rooms.indexOf(from), rooms.indexOf(to)];
    return `<circle class="dot" cx="${labelWidth + at(column)}" cy="${top + at(row)}" r="5"/>`;
  });
  return [...lines, diagonal, ...dots];
}

/** The rooms on their floors with the imports between them, as SVG. */
export function picture(floors: Layers["floors"], imports: readonly RoomImport[]): string {
  const boxes = boxesOf(floors);
  const rooms = roomsFromTheTop(floors).flat();
  const tableTop = 60 + floors.length * floorHeight + 130;
  const height = tableTop + rooms.length * cell + 20;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-labelledby="title">`,
    `<title id="title">The rooms of Sluice and the imports between them</title>`,
    `<style>${style}</style>`,
    `<defs><marker id="tip" viewBox="0 0 8 8" refX="4" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path d="M0 0L8 4L0 8Z" fill="#8594a4"/></marker></defs>`,
    `<rect width="${width}" height="${height}" fill="#fff"/>`,
    `<text class="note" x="20" y="24">Arrows: imports that no chain of other arrows contains. All of them point down.</text>`,
    ...withoutShortcuts(imports).map((edge) => arrow(boxes, edge)),
    ...[...boxes.values()].map(box),
    `<text class="note" x="20" y="${tableTop - 110}">All imports: the room of a row imports the room of a column. Left of the diagonal is up.</text>`,
    ...table(rooms, imports, tableTop),
    "</svg>",
    "",
  ].join("\n");
}
