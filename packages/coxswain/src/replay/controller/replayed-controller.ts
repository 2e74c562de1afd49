/** What can be run against a recording. */
import type { Client, Controller, Task } from "@coxswain/client";

/** A controller, several, or what begins one: a function that is called with a client and a signal, and may return what is to run. */
export type ReplayedController = RunnableController | ((client: Client, signal: AbortSignal) => unknown);
type RunnableController = Controller | Task | readonly (Controller | Task)[];

/** Whether it is one controller, or one task. */
export const isRunnable = (value: unknown): value is Controller | Task =>
  typeof value === "object" && value !== null && "name" in value && ("reconcile" in value || "run" in value);
