/** Where runtimes behind a socket begin: what they need is loaded when one is made, which takes a tenth of a second. */
import type { Clock } from "@coxswain/machinery";
import type { PodRuntime } from "../runtime/pod-runtime.ts";

export interface CriRuntimeOptions {
  /** Path of its socket, with or without `unix://`. */
  readonly socket: string;
  readonly clock: Clock;
  /** How long a call may take; 2 minutes unless told. Some verbs get more: pulls as long as they need. */
  readonly timeoutMs?: number;
}

/** Does not wait for the runtime: calls fail with RuntimeError `unavailable` until it is there, and while it is not. */
export async function createCriRuntime(options: CriRuntimeOptions): Promise<PodRuntime> {
  const { criRuntime } = await import("./cri-runtime.ts");
  return criRuntime({ ...options, socket: options.socket.replace(/^unix:\/\//, "") });
}
