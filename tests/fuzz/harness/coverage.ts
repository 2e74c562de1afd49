/** Which parts of some modules have run, as V8 counts them. */
import { type Profiler, Session } from "node:inspector";

/** From one place in a file's text to before another. */
type Part = readonly [start: number, end: number];

/** Of a function that ran, the parts that have not. */
type Functions = ReadonlyMap<string, readonly Part[]>;

/** What ran for the first time since the last look. */
export interface Ran {
  readonly fresh: Functions;
}

/**
 * V8 counts blocks only of functions that it compiles while it counts: so it begins with this module, before modules that come
 * later have run, and goes on as long as the process.
 */
const session = new Session();
session.connect();
session.post("Profiler.enable");
session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: true });

export class Coverage {
  readonly #unseen = new Map<string, readonly Part[]>();
  readonly #modules: readonly string[];
  #blocks = 0;

  /** Of these folders or files below `packages`, from now on. */
  constructor(modules: readonly string[]) {
    this.#modules = modules.map((module) => `/packages/${module}`);
    this.take();
  }

  /** Functions, and parts of them that first ran later, as far as they are remembered. */
  get blocks(): number {
    return this.#blocks;
  }

  /** Counts start anew. */
  take(): Ran {
    const fresh = new Map<string, readonly Part[]>();
    session.post("Profiler.takePreciseCoverage", (error, { result }) => {
      if (error !== null) throw error;
      for (const { url, functions } of result.filter((script) => this.#isWatched(script.url)))
        for (const { ranges } of functions) {
          const [whole] = ranges;
          if (whole === undefined || whole.count === 0) continue;
          const name = `${url}:${whole.startOffset}-${whole.endOffset}`;
          const before = this.#unseen.get(name);
          const unseen = before === undefined ? idle(ranges) : common(before, idle(ranges));
          if (before === undefined || length(unseen) < length(before)) fresh.set(name, unseen);
        }
    });
    return { fresh };
  }

  remember(fresh: Functions): void {
    for (const [name, unseen] of fresh) {
      const before = this.#unseen.get(name);
      const now = before === undefined ? unseen : common(before, unseen);
      if (before === undefined || length(now) < length(before)) this.#blocks++;
      this.#unseen.set(name, now);
    }
  }

  #isWatched(url: string): boolean {
    return this.#modules.some((module) => url.includes(module)) && !url.endsWith(".test.ts");
  }
}

/** Neighbours with one count are one range in V8's answer, so ranges have no names of their own; places in the text have. */
function idle(ranges: readonly Profiler.CoverageRange[]): readonly Part[] {
  const parts: Part[] = [];
  const around: Profiler.CoverageRange[] = [];
  let at = ranges[0]?.startOffset ?? 0;
  const goOnTo = (place: number): void => {
    if (place > at && around.at(-1)?.count === 0) parts.push([at, place]);
    at = Math.max(at, place);
  };
  const leaveBefore = (place: number): void => {
    for (let last = around.at(-1); last !== undefined && last.endOffset <= place; last = around.at(-1)) {
      goOnTo(last.endOffset);
      around.pop();
    }
  };
  for (const range of ranges) {
    leaveBefore(range.startOffset);
    goOnTo(range.startOffset);
    around.push(range);
  }
  leaveBefore(Number.POSITIVE_INFINITY);
  return parts;
}

const length = (parts: readonly Part[]): number => parts.reduce((sum, [start, end]) => sum + end - start, 0);

/** Both are in order. */
function common(one: readonly Part[], other: readonly Part[]): readonly Part[] {
  const parts: Part[] = [];
  for (let i = 0, j = 0; i < one.length && j < other.length; ) {
    const [[a, b], [c, d]] = [one[i] ?? [0, 0], other[j] ?? [0, 0]];
    const [start, end] = [Math.max(a, c), Math.min(b, d)];
    if (start < end) parts.push([start, end]);
    if (b < d) i++;
    else j++;
  }
  return parts;
}
