/** What keeps a controller running: a process that ends is followed by a new one, as in a Pod. */
import { type Client, LeadershipLostError, type RunningControllers, sleep } from "@coxswain/client";
import { type FaultChoice, Process } from "./fault-choice.ts";

const restartMs = 1_000;

export interface Program {
  readonly name: string;
  readonly faultChoice: FaultChoice;
  readonly client: Client;
  /** With a client of its own, from scratch. */
  readonly start: (client: Client, process: Process) => RunningControllers;
}

/** Until the signal is aborted and every process has ended. @throws what a process fails with that nothing has happened to */
export async function keepRunning({ name, faultChoice, client, start }: Program, signal: AbortSignal): Promise<void> {
  const ended: Promise<unknown>[] = [];
  while (!signal.aborted) {
    const process = new Process(name, faultChoice, client.clock);
    const running = start(client.with({ transport: process.transport(client.transport) }), process);
    const over = AbortSignal.any([signal, process.dead]);
    await Promise.race([aborted(over), running.ended]).catch((error: unknown) => {
      if (!(error instanceof LeadershipLostError) && !process.dead.aborted) throw error;
    });
    ended.push(running[Symbol.asyncDispose]().catch(() => undefined));
    await sleep(client.clock, restartMs, signal).catch(() => undefined);
  }
  await Promise.all(ended);
}

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
