/** Which thread goes first where there are fewer processors than threads with work. */
import { readlinkSync } from "node:fs";
import { access } from "node:fs/promises";
import { getPriority, setPriority } from "node:os";
import { basename } from "node:path";
import type { Log } from "@coxswain/apiserver";

/** In steps of `nice`. A tenth of the weight of the server's thread. */
const steps = 10;
const lowest = 19;

/**
 * Lets the server's thread go before the one that calls this: what components do takes as long in all, and whoever asks the server does not wait
 * for it. Only Linux has priorities of threads.
 */
export async function yieldToServer(log: Pick<Log, "debug">): Promise<void> {
  if (process.platform !== "linux") return;
  try {
    const link = "/proc/thread-self";
    // Threads have the priority of who starts them: those for the file system and for crypto, which all share, are started by this at the latest.
    await access(link);
    const thread = Number(basename(readlinkSync(link)));
    setPriority(thread, Math.min(lowest, getPriority(thread) + steps));
  } catch (error) {
    // Some sandboxes have no /proc, or allow no priorities.
    log.debug({ error }, "failed to lower the priority of the thread");
  }
}
