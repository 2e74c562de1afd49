/** Finds out that a peer is gone which never says so: a cable pulled, a machine that stopped, a firewall that forgot. */
import type { Clock, Timer } from "@coxswain/machinery";

export interface HeartbeatOptions {
  readonly clock: Clock;
  /** From one question to the next; milliseconds. */
  readonly intervalMs: number;
  /** How long the peer may take to answer. */
  readonly timeoutMs: number;
  /** Asks; `alive` is to be called with the answer. */
  readonly ping: (alive: () => void) => void;
  readonly onDead: () => void;
}

/** client-go's: after 30 s of silence a ping, and 15 s for its answer. */
export const keepAliveDefaults = { intervalMs: 30_000, timeoutMs: 15_000 };

/** Goes on until it is disposed of, or the peer was found dead. Its timers do not keep a process alive. */
export function heartbeat({ clock, intervalMs, timeoutMs, ping, onDead }: HeartbeatOptions): Disposable {
  let timer: Timer | undefined;
  const after = (ms: number, fn: () => void): void => {
    timer?.[Symbol.dispose]();
    timer = clock.schedule(ms, fn);
    timer.unref();
  };
  let stopped = false;
  const beat = (): void => {
    after(timeoutMs, onDead);
    let answered = false;
    ping(() => {
      if (answered || stopped) return;
      answered = true;
      after(intervalMs, beat);
    });
  };
  after(intervalMs, beat);
  return {
    [Symbol.dispose]() {
      stopped = true;
      timer?.[Symbol.dispose]();
    },
  };
}
