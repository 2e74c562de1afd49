import type { Measured } from "@coxswain/apiserver";
import type { Sample } from "./scrape.ts";

interface Series {
  readonly before: Sample | undefined;
  readonly last: Sample;
}

/** Two samples that are nearer to each other say too little. Milliseconds. */
const minWindowMs = 500;

/** What each key uses, from the last two samples of it that differ. Keys that a sample lacks are forgotten. */
export class Rates {
  #series = new Map<string, Series>();

  add(samples: ReadonlyMap<string, Sample>): void {
    const next = new Map<string, Series>();
    for (const [key, sample] of samples) next.set(key, grown(this.#series.get(key), sample));
    this.#series = next;
  }

  *measured(): Generator<[key: string, Measured]> {
    for (const [key, series] of this.#series) {
      const measured = measure(series);
      if (measured !== undefined) yield [key, measured];
    }
  }
}

function grown(known: Series | undefined, sample: Sample): Series {
  if (known === undefined || isAnother(known.last, sample)) return { before: undefined, last: sample };
  return sample.at - known.last.at < minWindowMs ? known : { before: known.last, last: sample };
}

/** It has restarted. */
const isAnother = (last: Sample, next: Sample): boolean => next.startedAt !== last.startedAt || next.cpuSeconds < last.cpuSeconds;

/** Of what was seen only once, on average since it was started. */
function measure({ before, last }: Series): Measured | undefined {
  const from = before ?? (last.startedAt === 0 ? undefined : { at: last.startedAt, cpuSeconds: 0 });
  if (from === undefined || last.at <= from.at) return undefined;
  const windowMs = last.at - from.at;
  return { at: last.at, windowMs, cpuNanocores: ((last.cpuSeconds - from.cpuSeconds) * 1e12) / windowMs, memoryBytes: last.memoryBytes };
}
