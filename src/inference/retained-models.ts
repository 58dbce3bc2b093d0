import type { SluiceError } from "../errors/error.js";
import type { Member } from "./member.js";
import type { ModelSpec } from "./protocol.js";

interface Loading {
  /** Members that have not loaded it yet. */
  readonly missing: Set<Member>;
  readonly resolve: () => void;
  readonly reject: (error: SluiceError) => void;
}

/** The models of a pool with their bytes, from which a new thread builds them again, and the loads under way. */
export class RetainedModels {
  /** By number; a number is never given twice. */
  readonly specs = new Map<number, ModelSpec>();
  private readonly loading = new Map<number, Loading>();
  private last = 0;

  /** Keeps a model and has it loaded. `loaded` resolves when every one of these members holds it or has ended. */
  add(spec: ModelSpec, members: readonly Member[]): { readonly model: number; readonly loaded: Promise<void> } {
    this.last += 1;
    const model = this.last;
    this.specs.set(model, spec);
    const loaded = new Promise<void>((resolve, reject) => {
      this.loading.set(model, { missing: new Set(members), resolve, reject });
    });
    for (const member of members) member.load(model, spec);
    return { model, loaded };
  }

  onLoaded(member: Member, model: number): void {
    const loading = this.loading.get(model);
    loading?.missing.delete(member);
    if (loading?.missing.size !== 0) return;
    this.loading.delete(model);
    loading.resolve();
  }

  /** Drops a model whose load is under way; false when it has been loaded before, so that it should have been fine. */
  onRefused(model: number, error: SluiceError): boolean {
    const loading = this.loading.get(model);
    if (loading === undefined) return !this.specs.has(model);
    this.loading.delete(model);
    this.specs.delete(model);
    loading.reject(error);
    return true;
  }

  /** Loads no longer wait for this member. */
  onEnded(member: Member): void {
    for (const model of this.loading.keys()) this.onLoaded(member, model);
  }

  rejectAll(error: SluiceError): void {
    for (const { reject } of this.loading.values()) reject(error);
    this.loading.clear();
  }
}
