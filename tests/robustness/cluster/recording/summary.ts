/** What a series of rounds has come to, in figures. */
import { type RoundResult, underFault } from "./round.ts";

export class Summary {
  #rounds = 0;
  #runs = 0;
  #runsUnderFault = 0;
  #operationsUnderFault = 0;
  #slowestMs = 0;
  #violations = 0;
  readonly #faults = new Map<string, number>();
  readonly #operations = new Map<string, number>();
  readonly #items = new Map<string, number>();

  get runs(): number {
    return this.#runs;
  }

  get runsUnderFault(): number {
    return this.#runsUnderFault;
  }

  get violations(): number {
    return this.#violations;
  }

  add({ faults, runs }: RoundResult): void {
    this.#rounds++;
    for (const { fault } of faults) count(this.#faults, fault.kind);
    for (const run of runs) {
      this.#runs++;
      const disturbed = underFault(run, faults);
      if (disturbed.length > 0) this.#runsUnderFault++;
      this.#operationsUnderFault += disturbed.length;
      this.#violations += run.violations.length;
      for (const { do: verb, outcome } of run.history.operations)
        count(this.#operations, `${verb} ${outcome.kind === "failed" ? outcome.reason : outcome.kind}`);
      for (const { call, return: returned } of run.history.operations) this.#slowestMs = Math.max(this.#slowestMs, returned - call);
      for (const { items } of run.history.watches)
        for (const item of items) count(this.#items, item.kind === "end" ? `end ${item.by}` : item.kind);
    }
  }

  toString(): string {
    const total = [...this.#operations.values()].reduce((sum, one) => sum + one, 0);
    return [
      `${this.#runs} runs in ${this.#rounds} rounds, ${this.#runsUnderFault} with operations under faults; ${this.#violations} violations`,
      `faults: ${listed(this.#faults)}`,
      `${total} operations, ${this.#operationsUnderFault} under faults, the slowest ${Math.round(this.#slowestMs)} ms: ${listed(this.#operations)}`,
      `watches: ${listed(this.#items)}`,
    ].join("\n");
  }
}

const count = (counts: Map<string, number>, name: string): void => void counts.set(name, (counts.get(name) ?? 0) + 1);

const listed = (counts: ReadonlyMap<string, number>): string =>
  [...counts]
    .sort(([, a], [, b]) => b - a)
    .map(([name, n]) => `${name} ${n}`)
    .join(", ");
