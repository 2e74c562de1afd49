import type { BuiltInController } from "../contracts/built-in-controller.ts";
import { collectGarbage } from "./collect-garbage.ts";

/** Deletes what has lost all its owners, and sees to deletions in the foreground and those that leave dependents behind. */
export const garbageCollectorController: BuiltInController = {
  name: "garbage-collector-controller",
  serviceAccount: "generic-garbage-collector",
  aliases: ["garbagecollector"],
  make: () => [{ name: "garbage-collector-controller", component: "garbage-collector-controller", run: collectGarbage }],
};
