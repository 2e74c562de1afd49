/**
 * Brings copies up to the present. A candidate keeps its copies warm while another leads, but a watch may be behind what
 * the leader has written last: whoever begins a term with that would do again what is done.
 */
import type { Client } from "../rest/client.ts";
import { resolveDoubt } from "./doubt.ts";
import { canTell, describe, type Expectation, isMet } from "./expectation.ts";
import type { Informer } from "./informer.ts";
import { type Bounds, within } from "./within.ts";

/**
 * Until these copies show at least what the server has now, which is read whole; what is newer there is taken from what is
 * read, and only what has gone is waited for. @throws Error naming what is not shown in time; what the server answers
 */
export async function catchUp(client: Client, informers: Iterable<Informer>, bounds: Bounds): Promise<void> {
  const stop = new AbortController();
  const behind = new Map<Informer, readonly Expectation[]>();
  const late = () => {
    const open = [...behind.values()].flat().filter((one) => !isMet(one));
    return new Error(`not caught up in time: ${open.map(describe).join(", ")}`);
  };
  const one = async (informer: Informer): Promise<void> => {
    const { ref, namespace } = informer;
    const everything = { resource: client.resource(ref, namespace), namespace, name: undefined };
    const expected = (await resolveDoubt(everything, [informer], stop.signal)).filter(canTell);
    behind.set(informer, expected);
    await allMet(informer, expected, stop.signal);
  };
  try {
    await within(Promise.all(Array.from(informers, one)), client.clock, bounds, late);
  } finally {
    // Nobody waits any more for what still goes on.
    stop.abort();
  }
}

async function allMet(informer: Informer, expected: readonly Expectation[], signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const look = (): void => {
    if (signal.aborted || expected.every(isMet)) resolve();
  };
  using _ = informer.onProgress(look);
  signal.addEventListener("abort", look, { once: true });
  look();
  await promise;
  signal.removeEventListener("abort", look);
}
