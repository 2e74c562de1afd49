/** The loop: inputs from a grammar and from a corpus that grows by what covers more, each judged by its target. */
import { Coverage, type Ran } from "./coverage.ts";
import { type Mutating, maxInputLength, mutate } from "./mutate.ts";
import { type Random, seededRandom } from "./random.ts";
import type { FuzzTarget, Judge } from "./target.ts";

export interface FuzzOptions {
  readonly seed: number;
  /** Whether another batch may start, of so many inputs before. */
  readonly more: (inputs: number) => boolean;
  readonly corpus: readonly string[];
  /** Found flaws are collected up to so many; then the target's run ends. */
  readonly maxFlaws?: number;
  /** What one input may take. */
  readonly maxCpuMs?: number;
}

export interface Flaw {
  readonly input: string;
  readonly error: unknown;
}

export interface FuzzRun {
  readonly target: string;
  readonly inputs: number;
  readonly taken: number;
  /** Parts of the target's modules that came to run. */
  readonly blocks: number;
  /** Inputs that were kept because they covered what none had covered before. */
  readonly kept: readonly string[];
  readonly flaws: readonly Flaw[];
}

const batchSize = 1_000;
const maxCorpus = 2_000;
/** CPU time of the thread: far more than any input of this length needs, and less than anybody would wait. */
const defaultMaxCpuMs = 1_500;

export async function fuzz(target: FuzzTarget, options: FuzzOptions): Promise<FuzzRun> {
  const judge: Judge = target.open === undefined ? { judge: judgeOf(target) } : await target.open();
  try {
    const run = new Run(target, judge, new Coverage(target.modules), options);
    return await run.outcome();
  } finally {
    await judge[Symbol.asyncDispose]?.();
  }
}

/** How a target without resources judges. */
function judgeOf({ name, judge }: FuzzTarget): Judge["judge"] {
  if (judge === undefined) throw new Error(`target ${name} judges nothing`);
  return judge;
}

class Run {
  readonly #target: FuzzTarget;
  readonly #judge: Judge;
  readonly #coverage: Coverage;
  readonly #options: FuzzOptions;
  readonly #random: Random;
  readonly #corpus: string[];
  readonly #kept: string[] = [];
  readonly #flaws: Flaw[] = [];
  #inputs = 0;
  #taken = 0;

  constructor(target: FuzzTarget, judge: Judge, coverage: Coverage, options: FuzzOptions) {
    this.#target = target;
    this.#judge = judge;
    this.#coverage = coverage;
    this.#options = options;
    this.#random = seededRandom(options.seed);
    this.#corpus = [...target.seeds, ...options.corpus];
  }

  async outcome(): Promise<FuzzRun> {
    const { more, maxFlaws = 10 } = this.#options;
    await this.#tryAll(this.#corpus);
    this.#coverage.remember(this.#coverage.take().fresh);
    while (more(this.#inputs) && this.#flaws.length < maxFlaws) {
      const batch = Array.from({ length: Math.min(batchSize, this.#target.sample ?? batchSize) }, () => this.#nextInput());
      await this.#tryAll(batch);
      const { fresh } = this.#coverage.take();
      if (fresh.size > 0) await this.#keepThoseThatCover(fresh, batch);
      // What ran only once in the process, as what fills a cache, is nobody's merit.
      this.#coverage.remember(fresh);
    }
    return {
      target: this.#target.name,
      inputs: this.#inputs,
      taken: this.#taken,
      blocks: this.#coverage.blocks,
      kept: this.#kept,
      flaws: this.#flaws,
    };
  }

  #nextInput(): string {
    const { generate, dictionary, bytes = false } = this.#target;
    const random = this.#random;
    if (generate !== undefined && random.oneIn(4)) return generate(random).slice(0, maxInputLength);
    const mutating: Mutating = { random, dictionary, corpus: this.#corpus, bytes };
    const from = generate !== undefined && random.oneIn(4) ? generate(random) : random.pick(this.#corpus);
    return mutate(from, mutating);
  }

  async #tryAll(inputs: readonly string[]): Promise<void> {
    for (const input of inputs) {
      this.#inputs++;
      const outcome = await judged(this.#judge, input, this.#options.maxCpuMs);
      if (outcome === true) this.#taken++;
      else if (outcome !== false) this.#flaws.push({ input, error: outcome.error });
    }
  }

  /** Halves the batch again and again, until it is known which of its inputs cover what is fresh. */
  async #keepThoseThatCover(fresh: Ran["fresh"], batch: readonly string[]): Promise<void> {
    if (batch.length === 1) {
      const [input = ""] = batch;
      this.#coverage.remember(fresh);
      this.#kept.push(input);
      if (this.#corpus.length < maxCorpus) this.#corpus.push(input);
      return;
    }
    const middle = batch.length >> 1;
    for (const half of [batch.slice(0, middle), batch.slice(middle)]) {
      for (const input of half) await judged(this.#judge, input, this.#options.maxCpuMs);
      const covered = this.#coverage.take().fresh;
      if (covered.size > 0) await this.#keepThoseThatCover(covered, half);
    }
  }
}

/** Whether the input was taken, or what is wrong. */
export async function judged(judge: Judge, input: string, maxCpuMs = defaultMaxCpuMs): Promise<boolean | { readonly error: unknown }> {
  try {
    const before = process.threadCpuUsage();
    const outcome = judge.judge(input);
    const taken = typeof outcome === "boolean" ? outcome : await outcome;
    const isSlow = cpuMsSince(before) > maxCpuMs && (await leastCpuMs(judge, input)) > maxCpuMs;
    return isSlow ? { error: new Error(`takes more than ${maxCpuMs} ms of CPU time`) } : taken;
  } catch (error) {
    return { error };
  }
}

function cpuMsSince(before: NodeJS.CpuUsage): number {
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
}

/** Of three more tries: a collection of garbage is not the input's fault. */
async function leastCpuMs(judge: Judge, input: string): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let i = 0; i < 3; i++) {
    const before = process.threadCpuUsage();
    await judge.judge(input);
    least = Math.min(least, cpuMsSince(before));
  }
  return least;
}
