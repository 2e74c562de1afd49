/** What a web server in a Pod answers; one that was only just started may not listen yet. */
import { setTimeout as delay } from "node:timers/promises";

export async function fetched(url: string, signal: AbortSignal = AbortSignal.timeout(10_000)): Promise<string> {
  for (;;) {
    const answer = await fetch(url, { signal }).catch((error: unknown) => {
      if (signal.aborted) throw error;
    });
    if (answer !== undefined) return await answer.text();
    await delay(20, undefined, { signal });
  }
}
