/** What a web server in a Pod answers; one that was only just started may not listen yet. */
import { setTimeout as delay } from "node:timers/promises";
import { hangMs } from "@coxswain/machinery/testing";

export async function fetched(url: string, signal: AbortSignal = AbortSignal.timeout(hangMs)): Promise<string> {
  for (;;) {
    const answer = await fetch(url, { signal }).catch((error: unknown) => {
      if (signal.aborted) throw error;
    });
    if (answer !== undefined) return await answer.text();
    await delay(20, undefined, { signal });
  }
}
