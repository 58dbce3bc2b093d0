/** What is used of WebAssembly, which the types of Node leave out. */
export interface WasmMemory {
  readonly buffer: SharedArrayBuffer;
  /** @returns the pages before */
  grow(pages: number): number;
}

/** The functions of kernels.wat. Arguments are positions in bytes of the shared memory, unless they are float64. */
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
  readonly tableValues: (similarities: number, end: number, table: number, places: number, into: number) => number;
  readonly tableValuesOf: (
    texts: number,
    end: number,
    similarities: number,
    table: number,
    places: number,
    into: number,
  ) => number;
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
/** Pages that are taken at once, so that small lists share one. */
const pagesAtOnce = 4;
const alignment = 16;

/** What the compiler of the WebAssembly text format makes of kernels.wat; a test compares. */
export const kernelsProgram = Buffer.from(
  "AGFzbQEAAAABTwlgA317ewF9YAR/f39/AX1gBX9/f39/AGAGf39/fHx/AGAHf39/f39/fwBgA31/fAF8YAV/f398fwF/YAZ/f39/fH8Bf2AHf399f" +
    "X18fAACFQEGc2hhcmVkBm1lbW9yeQIDAYCABAMMCwABAgMEBQYHBAQIB1cHCHByb2R1Y3RzAAIDbWl4AAMLYWRkUHJvZHVjdHMABAt0YWJsZVZhbH" +
    "VlcwAGDXRhYmxlVmFsdWVzT2YABwpoZWFkU2NvcmVzAAgJY2xvc2VuZXNzAAkKlg4LJQAgASAC/eQBIQEgACAB/R8AIAH9HwGSIAH9HwIgAf0fA5K" +
    "Skgs1AQF9IAIgA0kEQANAIAQgACACaioCACABIAJqKgIAlJIhBCACQQRqIQIgAiADSQ0ACwsgBAvIAgICfwV7IAMgBE8EQA8LA0AgASACaiABIANB" +
    "BGogBEkbIQZBACEF/QwAAAAAAAAAAAAAAAAAAAAAIQf9DAAAAAAAAAAAAAAAAAAAAAAhCP0MAAAAAAAAAAAAAAAAAAAAACEJ/QwAAAAAAAAAAAAAA" +
    "AAAAAAAIQogAkEgTwRAA0AgACAFav0ABAAhCyAHIAsgASAFav0ABAD95gH95AEhByAJIAsgBiAFav0ABAD95gH95AEhCSAAIAVq/QAEECELIAggCy" +
    "ABIAVq/QAEEP3mAf3kASEIIAogCyAGIAVq/QAEEP3mAf3kASEKIAVBIGohBSAFQSBqIAJNDQALCyADIAAgASAFIAIQASAHIAgQADgCACADQQRqIAR" +
    "JBEAgAyAAIAYgBSACEAEgCSAKEAA4AgQLIAYgAmohASADQQhqIQMgAyAESQ0ACwtCACAAIAFJBEADQCAFIAMgACoCALuiIAQgAioCALuioLY4AgAg" +
    "AEEEaiEAIAJBBGohAiAFQQRqIQUgACABSQ0ACwsLkgEDAn8BfAF/IAAgAUkEQANAIAMgACgCAEECdGohCiAKKAIAQQJ0IQcgCigCBEECdCEIIAIrA" +
    "wAhCSAHIAhJBEADQCAGIAQgB2ooAgBBAnRqIQogCiAKKgIAuyAJIAUgB2oqAgC7oqC2OAIAIAdBBGohByAHIAhJDQALCyAAQQRqIQAgAkEIaiECIA" +
    "AgAUkNAAsLC2oCAnwBfyAAu0QAAAAAAADwP6AgAqIhAyADRAAAAAAAAAAAZiADRAAAAAAAAABAIAKiZXFFBEBEAAAAAAAA+H8PCyADnCEEIAEgBPw" +
    "CQQN0aiEFIAUrAwAgAyAEoSAFKwMIIAUrAwChoqALRgEBfCAAIAFJBEADQCAAKgIAIAIgAxAFIQUgBSAFYgRAIAAPCyAEIAW2OAIAIABBBGohACAE" +
    "QQRqIQQgACABSQ0ACwsgAQtRAgF8AX8gACABSQRAA0AgACgCAEECdCEHIAIgB2oqAgAgAyAEEAUhBiAGIAZiBEAgAA8LIAUgB2ogBrY4AgAgAEEEa" +
    "iEAIAAgAUkNAAsLIAELjwMDA38EewF8IAAgAU8EQA8LA0AgACgCAEECdCEJIAIgCWooAgBBAnQhByACIAlqKAIEQQJ0IQj9DAAAAAAAAAAAAAAAAA" +
    "AAAAAhCv0MAAAAAAAAAAAAAAAAAAAAACELIAdBEGogCE0EQANAIAMgB2ohCSAEIAdq/QAEACEMIAUgCSgCDEECdGogBSAJKAIIQQJ0aiAFIAkoAgR" +
    "BAnRqIAUgCSgCAEECdGr9XAIA/VYCAAH9VgIAAv1WAgADIQ0gCiAM/V8gDf1f/fIB/fABIQogCyAMIAz9DQgJCgsMDQ4PCAkKCwwNDg/9XyANIA39" +
    "DQgJCgsMDQ4PCAkKCwwNDg/9X/3yAf3wASELIAdBEGohByAHQRBqIAhNDQALCyAK/SEAIQ4gByAISQRAA0AgDiAEIAdqKgIAuyAFIAMgB2ooAgBBA" +
    "nRqKgIAu6KgIQ4gB0EEaiEHIAcgCEkNAAsLIAYgACgCAEEDdGogDiAK/SEBoCAL/SEAIAv9IQGgoDkDACAAQQRqIQAgACABSQ0ACwvEAwMDfwd7AX" +
    "wgACABTwRADwsDQCAAKAIAQQJ0IQkgAiAJaigCACEHIAIgCWooAgQhCCAIIAdrtyERIAMgB0ECdGohByADIAhBAnRqIQj9DAAAAAAAAAAAAAAAAAA" +
    "AAAAhDP0MAAAAAAAAAAAAAAAAAAAAACEN/QwAAAAAAAAAAAAAAAAAAAAAIQ79DAAAAAAAAAAAAAAAAAAAAAAhD/0MAAAAAAAAAAAAAAAAAAAAACEQ" +
    "IAcgCEkEQANAIAcgBEEBdGogByAEaiAH/VwCAP1WAgAB/VYCAAIhCiAPIAr9X/3wASEPIBAgCiAK/Q0ICQoLDA0ODwgJCgsMDQ4P/V/98AEhECAMI" +
    "Ar96gEhCyAMIAr96wEhDCANIAv96gEhCiANIAv96wEhDSAOIAr96wEhDiAHQQRqIQcgByAISQ0ACwsgBSAAKAIAQQN0aiEJIAkgBiAM/R8AIA39Hw" +
    "AgDv0fACAP/SEAIBEQCiAJIAZBA2xqIQkgCSAGIAz9HwEgDf0fASAO/R8BIA/9IQEgERAKIAkgBkEDbGohCSAJIAYgDP0fAiAN/R8CIA79HwIgEP0" +
    "hACAREAogAEEEaiEAIAAgAUkNAAsLPAAgACACuzkDACAAIAFqIQAgACACuyADu6AgBLugRAAAAAAAAAhAozkDACAAIAFqIQAgACAFIAajOQMACw==",
  "base64",
);
const program = new WebAssembly.Module(kernelsProgram);

/**
 * Memory that threads share and that `Kernels` read. What one thread has taken, any thread may read; each takes room
 * for its own results. Nothing is given back before the memory as a whole is dropped.
 */
export class SharedMemory {
  /** For another thread, which makes a `SharedMemory` of it. */
  readonly toShare: WasmMemory;
  private next = 0;
  private end = 0;
  private instance: Kernels | null = null;

  constructor(toShare = new WebAssembly.Memory({ initial: 1, maximum: mostPages, shared: true })) {
    this.toShare = toShare;
  }

  /** Made on the first use: only threads that compare texts need them. */
  get kernels(): Kernels {
    this.instance ??= new WebAssembly.Instance(program, { shared: { memory: this.toShare } }).exports;
    return this.instance;
  }

  /** All zero, as the others. */
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

  /** Position of room for some bytes; views of the buffer are made after it, because the buffer grows. */
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

/** First byte behind an array. */
export const endOf = ({ byteOffset, byteLength }: Int32Array | Float32Array | Float64Array): number =>
  byteOffset + byteLength;
