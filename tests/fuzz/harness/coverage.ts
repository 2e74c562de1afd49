/** Which blocks of some modules have run, and how often, as V8 counts them. */
import { type Profiler, Session } from "node:inspector";

/** What ran since the last look. */
export interface Ran {
  /** Blocks that had not been remembered before. */
  readonly fresh: ReadonlySet<string>;
  /** How often all blocks ran, together: the work, but for what is built into V8. */
  readonly work: number;
}

export class Coverage implements Disposable {
  readonly #session = new Session();
  readonly #known = new Set<string>();
  readonly #modules: readonly string[];

  /** Of these folders or files below `packages`, from now on. */
  constructor(modules: readonly string[]) {
    this.#modules = modules.map((module) => `/packages/${module}`);
    this.#session.connect();
    this.#session.post("Profiler.enable");
    this.#session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: true });
  }

  /** Of blocks that are remembered. */
  get blocks(): number {
    return this.#known.size;
  }

  /** Counts start anew. */
  take(): Ran {
    const fresh = new Set<string>();
    let work = 0;
    this.#session.post("Profiler.takePreciseCoverage", (error, { result }) => {
      if (error !== null) throw error;
      for (const { url, functions } of result.filter((script) => this.#isWatched(script.url)))
        for (const block of ranBlocks(functions)) {
          work += block.count;
          const place = `${url}:${block.startOffset}-${block.endOffset}`;
          if (!this.#known.has(place)) fresh.add(place);
        }
    });
    return { fresh, work };
  }

  remember(blocks: Iterable<string>): void {
    for (const block of blocks) this.#known.add(block);
  }

  [Symbol.dispose](): void {
    this.#session.post("Profiler.stopPreciseCoverage");
    this.#session.disconnect();
  }

  #isWatched(url: string): boolean {
    return this.#modules.some((module) => url.includes(module)) && !url.endsWith(".test.ts");
  }
}

function* ranBlocks(functions: readonly Profiler.FunctionCoverage[]): Generator<Profiler.CoverageRange> {
  for (const { ranges } of functions) for (const range of ranges) if (range.count > 0) yield range;
}
