import type { Clock } from "@coxswain/machinery";

/** How long a client may take to read the end of what was sent. */
const lingerMs = 10_000;

/** Whoever is still there by then is hung up on. Disposing it means that it is done. */
export function closing(connection: Disposable, clock: Clock): Disposable {
  const timer = clock.schedule(lingerMs, () => connection[Symbol.dispose]());
  timer.unref();
  return timer;
}
