/** The part of the WebAssembly API that is used here; Node's type declarations lack it. */
export interface WasmMemory {
  readonly buffer: SharedArrayBuffer;
  /** @returns the previous number of pages */
  grow(pages: number): number;
}

/** The functions of kernels.wat. Arguments are byte offsets in the shared memory, except for fractions. */
export interface Kernels {
  readonly products: (vector: number, row: number, bytesOfRow: number, out: number, end: number) => void;
  readonly mix: (one: number, end: number, other: number, share: number, otherShare: number, into: number) => void;
  readonly addProducts: (
    terms: number,
    end: number,
    rowWeights: number,
    starts: number,
    texts: number,
    weights: number,
    into: number,
  ) => void;
  readonly kernelValues: (similarities: number, end: number, gamma: number, least: number, into: number) => void;
  readonly kernelValuesOf: (
    texts: number,
    end: number,
    similarities: number,
    gamma: number,
    least: number,
    into: number,
  ) => void;
  readonly headScores: (
    workflows: number,
    end: number,
    starts: number,
    texts: number,
    weights: number,
    values: number,
    into: number,
  ) => void;
  readonly closeness: (
    workflows: number,
    end: number,
    starts: number,
    similarities: number,
    stride: number,
    into: number,
    room: number,
  ) => void;
}

declare const WebAssembly: {
  readonly Memory: new (size: { initial: number; maximum: number; shared: true }) => WasmMemory;
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (module: object, imports: { shared: { memory: WasmMemory } }) => { readonly exports: Kernels };
};

const pageBytes = 65_536;
const mostPages = 65_536;
/** Number of pages to allocate at once, so that small arrays share them. */
const pagesAtOnce = 4;
const alignment = 16;

/** The compiled form of kernels.wat; a test checks that it is up to date. */
export const kernelsProgram = Buffer.from(
  "AGFzbQEAAAABVApgA317ewF9YAR/f39/AX1gBX9/f39/AGADf39/AX9gBn9/f3x8fwBgB39/f39/f38AYAN7fX0Be2AFf399fX8AYAZ/f399fX8AYA" +
    "d/f319fXx8AAIVAQZzaGFyZWQGbWVtb3J5AgMBgIAEAw0MAAECAwQFBgcIBQUJB1kHCHByb2R1Y3RzAAIDbWl4AAQLYWRkUHJvZHVjdHMABQxrZXJu" +
    "ZWxWYWx1ZXMABw5rZXJuZWxWYWx1ZXNPZgAICmhlYWRTY29yZXMACQljbG9zZW5lc3MACgrxEgwlACABIAL95AEhASAAIAH9HwAgAf0fAZIgAf0fAi" +
    "AB/R8DkpKSCzUBAX0gAiADSQRAA0AgBCAAIAJqKgIAIAEgAmoqAgCUkiEEIAJBBGohAiACIANJDQALCyAEC8sEAgV/CXsgAyAETwRADwsgASAEIANr" +
    "QQJ2QQFrIAJsaiEGA0AgASACIAYQAyEHIAcgAiAGEAMhCCAIIAIgBhADIQlBACEF/QwAAAAAAAAAAAAAAAAAAAAAIQv9DAAAAAAAAAAAAAAAAAAAAA" +
    "AhDP0MAAAAAAAAAAAAAAAAAAAAACEN/QwAAAAAAAAAAAAAAAAAAAAAIQ79DAAAAAAAAAAAAAAAAAAAAAAhD/0MAAAAAAAAAAAAAAAAAAAAACEQ/QwA" +
    "AAAAAAAAAAAAAAAAAAAAIRH9DAAAAAAAAAAAAAAAAAAAAAAhEiACQSBPBEADQCAAIAVq/QAEACEKIAsgCiABIAVq/QAEAP3mAf3kASELIA0gCiAHIA" +
    "Vq/QAEAP3mAf3kASENIA8gCiAIIAVq/QAEAP3mAf3kASEPIBEgCiAJIAVq/QAEAP3mAf3kASERIAAgBWr9AAQQIQogDCAKIAEgBWr9AAQQ/eYB/eQB" +
    "IQwgDiAKIAcgBWr9AAQQ/eYB/eQBIQ4gECAKIAggBWr9AAQQ/eYB/eQBIRAgEiAKIAkgBWr9AAQQ/eYB/eQBIRIgBUEgaiEFIAVBIGogAk0NAAsLIA" +
    "MgACABIAUgAhABIAsgDBAAOAIAIANBBGogBEkEQCADIAAgByAFIAIQASANIA4QADgCBAsgA0EIaiAESQRAIAMgACAIIAUgAhABIA8gEBAAOAIICyAD" +
    "QQxqIARJBEAgAyAAIAkgBSACEAEgESASEAA4AgwLIAkgAmohASADQRBqIQMgAyAESQ0ACwsPACAAIAFqIAIgACACSRsLQgAgACABSQRAA0AgBSADIA" +
    "AqAgC7oiAEIAIqAgC7oqC2OAIAIABBBGohACACQQRqIQIgBUEEaiEFIAAgAUkNAAsLC48BAwJ/AX0BfyAAIAFJBEADQCADIAAoAgBBAnRqIQogCigC" +
    "AEECdCEHIAooAgRBAnQhCCACKgIAIQkgByAISQRAA0AgBiAEIAdqKAIAQQJ0aiEKIAogCioCACAJIAUgB2oqAgCUkjgCACAHQQRqIQcgByAISQ0ACw" +
    "sgAEEEaiEAIAJBBGohAiAAIAFJDQALCwueAwEEe/0MAACwQgAAsEIAALBCAACwQv0MAACuwgAArsIAAK7CAACuwiAB/RMgAP0MAACAPwAAgD8AAIA/" +
    "AACAP/3lAf3mAf3rAf3qASEDIAP9DDuquD87qrg/O6q4PzuquD/95gH9aiEEIAMgBP0MAIAxPwCAMT8AgDE/AIAxP/3mAf3lASAE/QyDgF65g4BeuY" +
    "OAXrmDgF65/eYB/eUBIQX9DGdpUDlnaVA5Z2lQOWdpUDkhBiAGIAX95gH9DM5DtzrOQ7c6zkO3Os5Dtzr95AEhBiAGIAX95gH9DAiJCDwIiQg8CIkI" +
    "PAiJCDz95AEhBiAGIAX95gH9DMGpKj3BqSo9wakqPcGpKj395AEhBiAGIAX95gH9DKqqKj6qqio+qqoqPqqqKj795AEhBiAGIAX95gH9DAAAAD8AAA" +
    "A/AAAAPwAAAD/95AEhBiAGIAUgBf3mAf3mASAF/eQB/QwAAIA/AACAPwAAgD8AAIA//eQBIQYgBiAE/fgB/Qx/AAAAfwAAAH8AAAB/AAAA/a4BQRf9" +
    "qwH95gEgAv0T/eUBC20AIABBEGogAU0EQANAIAQgAP0ABAAgAiADEAb9CwQAIABBEGohACAEQRBqIQQgAEEQaiABTQ0ACwsgACABSQRAA0AgBCAA/V" +
    "wCACACIAMQBv1aAgAAIABBBGohACAEQQRqIQQgACABSQ0ACwsLQAEBfyAAIAFJBEADQCAAKAIAQQJ0IQYgBSAGaiACIAZq/VwCACADIAQQBv1aAgAA" +
    "IABBBGohACAAIAFJDQALCwuPAwMDfwR7AXwgACABTwRADwsDQCAAKAIAQQJ0IQkgAiAJaigCAEECdCEHIAIgCWooAgRBAnQhCP0MAAAAAAAAAAAAAA" +
    "AAAAAAACEK/QwAAAAAAAAAAAAAAAAAAAAAIQsgB0EQaiAITQRAA0AgAyAHaiEJIAQgB2r9AAQAIQwgBSAJKAIMQQJ0aiAFIAkoAghBAnRqIAUgCSgC" +
    "BEECdGogBSAJKAIAQQJ0av1cAgD9VgIAAf1WAgAC/VYCAAMhDSAKIAz9XyAN/V/98gH98AEhCiALIAwgDP0NCAkKCwwNDg8ICQoLDA0OD/1fIA0gDf" +
    "0NCAkKCwwNDg8ICQoLDA0OD/1f/fIB/fABIQsgB0EQaiEHIAdBEGogCE0NAAsLIAr9IQAhDiAHIAhJBEADQCAOIAQgB2oqAgC7IAUgAyAHaigCAEEC" +
    "dGoqAgC7oqAhDiAHQQRqIQcgByAISQ0ACwsgBiAAKAIAQQN0aiAOIAr9IQGgIAv9IQAgC/0hAaCgOQMAIABBBGohACAAIAFJDQALC8QDAwN/B3sBfC" +
    "AAIAFPBEAPCwNAIAAoAgBBAnQhCSACIAlqKAIAIQcgAiAJaigCBCEIIAggB2u3IREgAyAHQQJ0aiEHIAMgCEECdGohCP0MAAAAAAAAAAAAAAAAAAAA" +
    "ACEM/QwAAAAAAAAAAAAAAAAAAAAAIQ39DAAAAAAAAAAAAAAAAAAAAAAhDv0MAAAAAAAAAAAAAAAAAAAAACEP/QwAAAAAAAAAAAAAAAAAAAAAIRAgBy" +
    "AISQRAA0AgByAEQQF0aiAHIARqIAf9XAIA/VYCAAH9VgIAAiEKIA8gCv1f/fABIQ8gECAKIAr9DQgJCgsMDQ4PCAkKCwwNDg/9X/3wASEQIAwgCv3q" +
    "ASELIAwgCv3rASEMIA0gC/3qASEKIA0gC/3rASENIA4gCv3rASEOIAdBBGohByAHIAhJDQALCyAFIAAoAgBBA3RqIQkgCSAGIAz9HwAgDf0fACAO/R" +
    "8AIA/9IQAgERALIAkgBkEDbGohCSAJIAYgDP0fASAN/R8BIA79HwEgD/0hASAREAsgCSAGQQNsaiEJIAkgBiAM/R8CIA39HwIgDv0fAiAQ/SEAIBEQ" +
    "CyAAQQRqIQAgACABSQ0ACws8ACAAIAK7OQMAIAAgAWohACAAIAK7IAO7oCAEu6BEAAAAAAAACECjOQMAIAAgAWohACAAIAUgBqM5AwAL",
  "base64",
);
const program = new WebAssembly.Module(kernelsProgram);

/**
 * Memory that threads share and that `Kernels` operate on. Any thread may read what another thread has allocated, and
 * each thread allocates space for its own results. Memory is freed only as a whole.
 */
export class SharedMemory {
  /** Can be sent to another thread, which creates a `SharedMemory` from it. */
  readonly toShare: WasmMemory;
  private next = 0;
  private end = 0;
  private instance: Kernels | null = null;

  constructor(toShare = new WebAssembly.Memory({ initial: 1, maximum: mostPages, shared: true })) {
    this.toShare = toShare;
  }

  /** Created on first use, because only threads that compare texts need the kernels. */
  get kernels(): Kernels {
    this.instance ??= new WebAssembly.Instance(program, { shared: { memory: this.toShare } }).exports;
    return this.instance;
  }

  /** Returns a new array of zeros, like the methods below. */
  int32(length: number): Int32Array {
    const at = this.take(Int32Array.BYTES_PER_ELEMENT * length);
    return new Int32Array(this.toShare.buffer, at, length);
  }

  float32(length: number): Float32Array {
    const at = this.take(Float32Array.BYTES_PER_ELEMENT * length);
    return new Float32Array(this.toShare.buffer, at, length);
  }

  float64(length: number): Float64Array {
    const at = this.take(Float64Array.BYTES_PER_ELEMENT * length);
    return new Float64Array(this.toShare.buffer, at, length);
  }

  bytes(length: number): Uint8Array {
    const at = this.take(length);
    return new Uint8Array(this.toShare.buffer, at, length);
  }

  /**
   * Allocates bytes and returns their offset. Views must be created afterwards, because the buffer is replaced when it
   * grows.
   */
  private take(bytes: number): number {
    const size = alignment * Math.ceil(bytes / alignment);
    if (this.next + size > this.end) {
      const pages = Math.max(pagesAtOnce, Math.ceil(size / pageBytes));
      this.next = this.toShare.grow(pages) * pageBytes;
      this.end = this.next + pages * pageBytes;
    }
    const at = this.next;
    this.next += size;
    return at;
  }
}

/** Offset of the first byte after an array. */
export const endOf = ({ byteOffset, byteLength }: Int32Array | Float32Array | Float64Array): number =>
  byteOffset + byteLength;
