import type { BuiltInController } from "../contracts/built-in-controller.ts";
import { sweepPods } from "./act.ts";

/** Removes Pods of Nodes that are no more, Pods that go without ever having been scheduled, and too many that have ended. */
export const podGarbageCollectorController: BuiltInController = {
  name: "pod-garbage-collector-controller",
  aliases: ["podgc"],
  make: () => [{ name: "pod-garbage-collector-controller", run: sweepPods }],
};
