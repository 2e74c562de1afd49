/** The simple alternative: so many requests that read, and so many that write, are under way at a time; others are refused. */
import type { Flow, FlowControl, FlowExchange } from "../contracts/flow-control.ts";

export interface MaxInFlightOptions {
  /** 0: no limit. */
  readonly maxReadOnly: number;
  /** 0: no limit. */
  readonly maxMutating: number;
}

const reading = new Set(["get", "list", "watch"]);

export class MaxInFlight implements FlowControl {
  readonly #limits: { readonly reading: number; readonly writing: number };
  readonly #underWay = { reading: 0, writing: 0 };

  constructor({ maxReadOnly, maxMutating }: MaxInFlightOptions) {
    this.#limits = { reading: maxReadOnly, writing: maxMutating };
  }

  begin({ info, user }: FlowExchange): Flow {
    if (info.verb === "watch") return unlimited;
    const kind = reading.has(info.verb) ? "reading" : "writing";
    const limit = this.#limits[kind];
    if (limit === 0) return unlimited;
    if (this.#underWay[kind] < limit) {
      this.#underWay[kind]++;
      let hasEnded = false;
      const end = (): void => {
        if (!hasEnded) this.#underWay[kind]--;
        hasEnded = true;
      };
      return { ...unlimited, end };
    }
    return user.groups.includes("system:masters") ? unlimited : refused;
  }

  watching(): () => void {
    return () => undefined;
  }

  dump(): undefined {
    return undefined;
  }
}

const unlimited: Flow = { headers: undefined, mayRun: true, refused: () => 1, end: () => undefined };
const refused: Flow = { ...unlimited, mayRun: false };
