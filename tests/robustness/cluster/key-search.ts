/**
 * The search for an order of the operations on one key, after Wing and Gong, with Lowe's memory of what was tried.
 *
 * - What changes nothing and fits is taken at once: it cannot be in the way of others.
 * - Writes whose revisions are known have only one order.
 * - A write of unknown outcome may take effect at any time after its call. Its revision is one that an operation has seen
 *   with what it wrote, or none that any has seen.
 */
import { tokensOf } from "./history.ts";
import { effectOf, isConsistent, type KeyOperation, type KeyState } from "./key-steps.ts";

export type SearchResult =
  | { readonly kind: "found" }
  /** `blocked`: of the furthest order, the operations of which one should come next, and none can. */
  | { readonly kind: "none"; readonly blocked: readonly KeyOperation[]; readonly state: KeyState }
  | { readonly kind: "undecided" };

interface Configuration {
  /** All operations before it in the order of calls have taken effect, */
  readonly prefix: number;
  /** and these after it, */
  readonly ahead: readonly number[];
  /** and these of unknown outcome. */
  readonly effective: readonly number[];
  /** How many of the writes with known revisions. */
  readonly known: number;
  readonly state: KeyState;
  /** The highest revision so far. */
  readonly revision: number;
}

/** `limit` bounds how many configurations are tried. */
export function searchOrder(operations: readonly KeyOperation[], limit = 500_000): SearchResult {
  const search = new Search(operations);
  const tried = new Set<string>();
  const stack: Configuration[] = [{ prefix: 0, ahead: [], effective: [], known: 0, state: undefined, revision: 0 }];
  let furthest: Configuration | undefined;
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    const configuration = search.takeReads(next);
    if (search.isComplete(configuration)) return { kind: "found" };
    const id = search.idOf(configuration);
    if (tried.has(id)) continue;
    if (tried.size === limit) return { kind: "undecided" };
    tried.add(id);
    if (furthest === undefined || progress(configuration) > progress(furthest)) furthest = configuration;
    stack.push(...search.successors(configuration));
  }
  if (furthest === undefined) throw new Error("a search begins somewhere");
  return { kind: "none", blocked: search.candidates(furthest).map((i) => search.answered[i]!), state: furthest.state };
}

const progress = ({ prefix, ahead }: Configuration): number => prefix + ahead.length;

class Search {
  /** In the order of their calls. */
  readonly answered: readonly KeyOperation[];
  readonly #unknown: readonly KeyOperation[];
  /** Known revisions of writes, ascending. */
  readonly #revisions: readonly number[];
  /** Revisions that operations have seen or expected, with the value where one has seen it. */
  readonly #named = new Map<number, string | undefined>();
  readonly #values = new Map<string, number>();
  /** Those of all values that answers have shown. */
  readonly #tokens: ReadonlySet<string>;

  constructor(operations: readonly KeyOperation[]) {
    this.answered = operations.filter((operation) => operation.return !== Number.POSITIVE_INFINITY);
    this.#unknown = operations.filter((operation) => operation.return === Number.POSITIVE_INFINITY);
    this.#revisions = this.answered.flatMap(({ step }) => revisionOf(step) ?? []).sort((a, b) => a - b);
    this.#tokens = new Set(operations.flatMap(({ step }) => tokensOf(shownBy(step) ?? "")));
    for (const { step } of operations) {
      const expected = "expected" in step ? step.expected : undefined;
      if (expected !== undefined && !this.#named.has(expected)) this.#named.set(expected, undefined);
      if (step.kind === "read" && step.seen?.revision !== undefined) this.#named.set(step.seen.revision, step.seen.value);
    }
  }

  isComplete = ({ prefix }: Configuration): boolean => prefix === this.answered.length;

  /** Those whose call is no later than any return of what has not taken effect. */
  candidates({ prefix, ahead }: Configuration): number[] {
    const found: number[] = [];
    let earliest = Number.POSITIVE_INFINITY;
    for (let i = prefix; i < this.answered.length && this.answered[i]!.call <= earliest; i++) {
      if (ahead.includes(i)) continue;
      found.push(i);
      earliest = Math.min(earliest, this.answered[i]!.return);
    }
    return found.filter((i) => this.answered[i]!.call <= earliest);
  }

  takeReads(from: Configuration): Configuration {
    let configuration = from;
    for (;;) {
      const fitting = this.candidates(configuration).filter((i) => this.#isFitting(this.answered[i]!.step, configuration));
      if (fitting.length === 0) return configuration;
      configuration = this.#without(configuration, fitting);
    }
  }

  /** A list at a revision comes after all writes up to that, and before all others. */
  #isFitting(step: KeyOperation["step"], { state, revision, known }: Configuration): boolean {
    if (step.kind === "read" && step.revision !== undefined) {
      const next = this.#revisions[known] ?? Number.POSITIVE_INFINITY;
      if (revision > step.revision || next <= step.revision) return false;
    }
    return isConsistent(step, state);
  }

  /** What is to be tried first stands last. */
  successors(configuration: Configuration): Configuration[] {
    const { state, revision, known, effective } = configuration;
    const candidates = this.candidates(configuration);
    const deadline = Math.min(...candidates.map((i) => this.answered[i]!.return));
    const found: Configuration[] = [];
    const alike = new Set<string>();
    for (const [i, { step, call }] of this.#unknown.entries()) {
      if (call > deadline) break;
      const value = effective.includes(i) ? undefined : effectOf(step, state);
      const kind = this.#kindOf(step);
      if (value === undefined || alike.has(kind)) continue;
      alike.add(kind);
      found.push(...this.#unnumbered({ ...configuration, effective: [...effective, i].sort((a, b) => a - b) }, value));
    }
    for (const i of candidates) {
      const { step } = this.answered[i]!;
      const value = effectOf(step, state);
      if (value === undefined) continue;
      const after = this.#without(configuration, [i]);
      const own = revisionOf(step);
      if (own === undefined) found.push(...this.#unnumbered(after, value));
      else if (own === this.#revisions[known] && own > revision)
        found.push({ ...after, state: value === null ? undefined : { value, revision: own }, revision: own, known: known + 1 });
    }
    return found;
  }

  /** Writes that come to the same wherever they are: of several the first is tried, for it may be wherever others may. */
  #kindOf(step: KeyOperation["step"]): string {
    if (step.kind === "delete") return `delete ${step.expected}`;
    return step.kind === "put" ? `put ${step.on} ${step.expected} ${this.#valueId(step.valueAfter(""))}` : step.kind;
  }

  /** After a write whose answer had no revision: each that it may have got. */
  #unnumbered(after: Configuration, value: string | null): Configuration[] {
    if (value === null) return [{ ...after, state: undefined }];
    const next = this.#revisions[after.known] ?? Number.POSITIVE_INFINITY;
    const possible = [...this.#named].filter(
      ([named, seen]) => named > after.revision && named < next && (seen === undefined || seen === value),
    );
    return [
      { ...after, state: { value, revision: undefined } },
      ...possible.map(([named]) => ({ ...after, state: { value, revision: named }, revision: named })),
    ];
  }

  idOf({ prefix, ahead, effective, state, revision }: Configuration): string {
    const value = state === undefined ? "-" : `${this.#valueId(state.value)}@${state.revision}`;
    return `${prefix} ${ahead.join()} ${effective.join()} ${value} ${revision}`;
  }

  /** One for all values that no operation can have seen, as they have a token that none has. */
  #valueId(value: string): number {
    const known = this.#values.get(value);
    if (known !== undefined) return known;
    if (tokensOf(value).some((token) => !this.#tokens.has(token))) return -1;
    this.#values.set(value, this.#values.size);
    return this.#values.size - 1;
  }

  #without(configuration: Configuration, taken: readonly number[]): Configuration {
    const ahead = new Set([...configuration.ahead, ...taken]);
    let { prefix } = configuration;
    while (ahead.delete(prefix)) prefix++;
    return { ...configuration, prefix, ahead: [...ahead].sort((a, b) => a - b) };
  }
}

const shownBy = (step: KeyOperation["step"]): string | undefined =>
  step.kind === "read" ? step.seen?.value : step.kind === "put" ? step.answered : undefined;

const revisionOf = (step: KeyOperation["step"]): number | undefined =>
  step.kind === "put" || step.kind === "delete" ? step.revision : undefined;
