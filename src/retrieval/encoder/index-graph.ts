import { SluiceError } from "../../errors/error.js";
import { floatMatrix, type Graph, type GraphConstant, type GraphNode } from "../../inference/onnx-graph.js";
import { groupBy } from "../../stats/group-by.js";

/** The vectors that represent a workflow, all of one length. */
export interface IndexedWorkflow {
  readonly workflowId: string;
  readonly description: Float32Array;
  /** May be empty. */
  readonly examples: readonly Float32Array[];
}

/** Bytes that an ONNX file cannot exceed, because a protobuf message cannot. */
const protobufLimit = 2 ** 31 - 1;
/** Room for the names, nodes and gather positions of any index; the rest of the limit is vectors. */
const otherBytes = 2 ** 24;

/**
 * Refuses an index that one graph cannot hold, before any text is encoded.
 * @param vectors  descriptions and examples of all workflows
 * @throws {SluiceError} CATALOG_INVALID
 */
export function requireIndexFits(vectors: number, dimensions: number): void {
  const bytes = vectors * dimensions * Float32Array.BYTES_PER_ELEMENT;
  if (bytes <= protobufLimit - otherBytes) return;
  const gib = (value: number): string => `${(value / 2 ** 30).toFixed(2)} GiB`;
  throw new SluiceError(
    "CATALOG_INVALID",
    `the index of ${vectors} texts with ${dimensions} numbers each requires ${gib(bytes)}, at most ${gib(protobufLimit - otherBytes)} are possible`,
    {
      hint: "Use fewer examples per workflow, or an encoder with shorter vectors.",
      details: { vectors, dimensions, bytes },
    },
  );
}

/**
 * Exact scores of query vectors over a catalog, as one graph:
 * `vectors` [n, dimensions] -> `scores` [n, workflows], in the order of the workflows, where
 * score = w * (query . description) + (1 - w) * max over examples of (query . example),
 * and query . description alone for a workflow without examples.
 * @param descriptionWeight  w, in [0, 1]
 */
export function indexGraph(
  workflows: readonly IndexedWorkflow[],
  dimensions: number,
  descriptionWeight: number,
): Graph {
  const groups = groupsOf(workflows);
  const parts = groups.map((group) => groupPart(group, dimensions, descriptionWeight));
  const order = new BigInt64Array(workflows.length);
  for (const [column, { position }] of groups.flat().entries()) order[position] = BigInt(column);
  const alongColumns = { attributes: [{ name: "axis", int: 1 }] };
  return {
    name: "exact_search",
    inputs: [floatMatrix("vectors", dimensions)],
    outputs: [floatMatrix("scores", workflows.length)],
    constants: [
      ...parts.flatMap(({ constants }) => constants),
      { name: "order", dimensions: [order.length], values: order },
    ],
    nodes: [
      ...parts.flatMap(({ nodes }) => nodes),
      {
        ...node(
          "Concat",
          parts.map(({ scores }) => scores),
          "by_group",
        ),
        ...alongColumns,
      },
      { ...node("Gather", ["by_group", "order"], "scores"), ...alongColumns },
    ],
  };
}

/** A workflow with its place in the catalog. */
interface Member extends IndexedWorkflow {
  readonly position: number;
}

/**
 * Workflows with the same number of examples, so that the best example of each is one reduction. Ordered by that number
 * and by id: the columns of the matrices do not depend on the order of the catalog.
 */
function groupsOf(workflows: readonly IndexedWorkflow[]): readonly (readonly Member[])[] {
  const byId = workflows
    .map((workflow, position) => ({ ...workflow, position }))
    .sort((a, b) => (a.workflowId < b.workflowId ? -1 : 1));
  return [...groupBy(byId, ({ examples }) => examples.length)].sort(([a], [b]) => a - b).map(([, members]) => members);
}

interface GraphPart {
  readonly constants: readonly GraphConstant[];
  readonly nodes: readonly GraphNode[];
  /** Name of the group's scores, shape [n, members]. */
  readonly scores: string;
}

function groupPart(members: readonly Member[], dimensions: number, descriptionWeight: number): GraphPart {
  const examples = members.flatMap((member) => member.examples);
  const perMember = examples.length / members.length;
  const name = (part: string): string => `${part}_${perMember}`;
  const descriptions = members.map(({ description }) => description);
  const constants = [columnMatrix(name("descriptions"), descriptions, dimensions)];
  const nodes = [node("MatMul", ["vectors", name("descriptions")], name("to_description"))];
  if (perMember === 0) return { constants, nodes, scores: name("to_description") };

  constants.push(
    columnMatrix(name("examples"), examples, dimensions),
    { name: name("shape"), dimensions: [3], values: BigInt64Array.of(0n, BigInt(members.length), BigInt(perMember)) },
    { name: name("description_weight"), dimensions: [1], values: Float32Array.of(descriptionWeight) },
    { name: name("example_weight"), dimensions: [1], values: Float32Array.of(1 - descriptionWeight) },
  );
  nodes.push(
    node("MatMul", ["vectors", name("examples")], name("to_examples")),
    node("Reshape", [name("to_examples"), name("shape")], name("per_member")),
    {
      ...node("ReduceMax", [name("per_member")], name("to_best_example")),
      attributes: [
        { name: "axes", ints: [2] },
        { name: "keepdims", int: 0 },
      ],
    },
    node("Mul", [name("to_description"), name("description_weight")], name("description_share")),
    node("Mul", [name("to_best_example"), name("example_weight")], name("example_share")),
    node("Add", [name("description_share"), name("example_share")], name("mixed")),
  );
  return { constants, nodes, scores: name("mixed") };
}

const node = (operator: string, inputs: readonly string[], output: string): GraphNode => {
  return { operator, inputs, outputs: [output] };
};

/** Vectors as the columns of a matrix. */
function columnMatrix(name: string, vectors: readonly Float32Array[], dimensions: number): GraphConstant {
  const values = new Float32Array(dimensions * vectors.length);
  for (const [column, vector] of vectors.entries()) {
    for (let row = 0; row < dimensions; row += 1) values[row * vectors.length + column] = vector[row];
  }
  return { name, dimensions: [dimensions, vectors.length], values };
}
