/** What tasks wait for; each wait ends early, without an error, when the task is to stop. */
import type { Clock, Informer, KubeObject } from "@coxswain/client";

/** Of upkeep: nothing is to go on for its sake alone. */
export async function pause(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  using wait = waiting(signal);
  using timer = clock.schedule(ms, wait.end);
  timer.unref();
  await wait.ended;
}

/** Resolves with whether all of them have a complete copy. */
export async function whenSynced(informers: readonly Pick<Informer<KubeObject>, "synced">[], signal: AbortSignal): Promise<boolean> {
  using wait = waiting(signal);
  await Promise.race([Promise.all(informers.map(({ synced }) => synced)), wait.ended]).catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });
  return !signal.aborted;
}

function waiting(signal: AbortSignal): { readonly ended: Promise<void>; readonly end: () => void } & Disposable {
  const { promise: ended, resolve } = Promise.withResolvers<void>();
  const end = (): void => resolve();
  signal.addEventListener("abort", end, { once: true });
  if (signal.aborted) end();
  return { ended, end, [Symbol.dispose]: () => signal.removeEventListener("abort", end) };
}
