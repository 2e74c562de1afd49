/**
 * Brings copies up to the present. A candidate keeps its copies warm while another leads, but a watch may be behind what
 * the leader has written last: whoever begins a term with that would do again what is done.
 */
import { isNotFound, messageOf, sleep } from "@coxswain/machinery";
import type { Client } from "../contracts/client.ts";
import type { Informer } from "../informer/informer.ts";
import { type Bounds, within } from "../informer/within.ts";
import { backoffDelay } from "../retry/backoff.ts";
import { confirmCopy, isServed } from "./confirm-write.ts";
import { describeExpectation, type Expectation, isMet, isObservable } from "./expectation.ts";

/** As a watch that is interrupted: client-go's. */
const listBackoff = { baseDelayMs: 800, factor: 2, jitter: 1, capMs: 30_000 };

/**
 * Until these copies show at least what the server has now, of which is read what they select; what is newer there is taken
 * from what is read, and only what has gone is waited for. A list that fails is repeated.
 * @throws Error naming what is not shown in time, or could not be read
 */
export async function catchUp(client: Client, informers: Iterable<Informer>, bounds: Bounds): Promise<void> {
  const stop = new AbortController();
  const behind = new Map<Informer, readonly Expectation[]>();
  const failures = new Map<Informer, unknown>();
  const late = () => {
    const open = [...behind.values()].flat().filter((one) => !isMet(one));
    const unread = Array.from(failures, ([{ ref }, error]) => `${ref.resource}, not listed (${messageOf(error)})`);
    const [cause] = failures.values();
    return new Error(`not caught up in time: ${[...open.map(describeExpectation), ...unread].join(", ")}`, { cause });
  };
  const read = async (informer: Informer): Promise<readonly Expectation[]> => {
    for (let attempt = 0; ; attempt++) {
      try {
        const expected = await expectedOf(client, informer, stop.signal);
        failures.delete(informer);
        return expected;
      } catch (error) {
        stop.signal.throwIfAborted();
        failures.set(informer, error);
        await sleep(client.clock, backoffDelay(listBackoff, attempt, client.random), stop.signal);
      }
    }
  };
  const one = async (informer: Informer): Promise<void> => {
    const expected = (await read(informer)).filter(isObservable);
    behind.set(informer, expected);
    await allMet(informer, expected, stop.signal);
  };
  try {
    await within(Promise.all(Array.from(informers, one)), client.clock, bounds, late);
  } finally {
    // What is still pending is no longer awaited.
    stop.abort();
  }
}

async function expectedOf(client: Client, informer: Informer, signal: AbortSignal): Promise<readonly Expectation[]> {
  try {
    return await confirmCopy(client, informer, signal);
  } catch (error) {
    // What is of a resource that is not served any more has gone with it.
    if (isNotFound(error) && !(await isServed(client, informer.ref, signal))) return [];
    throw error;
  }
}

async function allMet(informer: Informer, expected: readonly Expectation[], signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const check = (): void => {
    if (signal.aborted || expected.every(isMet)) resolve();
  };
  using _ = informer.onProgress(check);
  signal.addEventListener("abort", check, { once: true });
  check();
  await promise;
  signal.removeEventListener("abort", check);
}
