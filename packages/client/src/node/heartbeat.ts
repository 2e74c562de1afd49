/** Finds out that a peer is gone which never says so: a cable pulled, a machine that stopped, a firewall that forgot. */
import type { Clock, Timer } from "@coxswain/machinery";

export interface HeartbeatOptions {
  readonly clock: Clock;
  /** From one question to the next; milliseconds. */
  readonly everyMs: number;
  /** How long the peer may take to answer. */
  readonly patienceMs: number;
  /** Asks; `alive` is to be called with the answer. */
  readonly ask: (alive: () => void) => void;
  readonly dead: () => void;
}

/** client-go's: after 30 s of silence a ping, and 15 s for its answer. */
export const keepAliveDefaults = { everyMs: 30_000, patienceMs: 15_000 };

/** Goes on until it is disposed of, or the peer was found dead. Its timers do not keep a process alive. */
export function heartbeat({ clock, everyMs, patienceMs, ask, dead }: HeartbeatOptions): Disposable {
  let timer: Timer | undefined;
  const after = (ms: number, fn: () => void): void => {
    timer?.[Symbol.dispose]();
    timer = clock.schedule(ms, fn);
    timer.unref();
  };
  let stopped = false;
  const beat = (): void => {
    after(patienceMs, dead);
    let answered = false;
    ask(() => {
      if (answered || stopped) return;
      answered = true;
      after(everyMs, beat);
    });
  };
  after(everyMs, beat);
  return {
    [Symbol.dispose]() {
      stopped = true;
      timer?.[Symbol.dispose]();
    },
  };
}
