import { type Controller, controller, done, nodes } from "@coxswain/client";
import type { BuiltInController } from "../built-in-controller.ts";
import { cacheSeconds } from "./cache-seconds.ts";

/** Tells each Node how long its kubelet may keep Secrets and ConfigMaps: the longer, the more Nodes there are to ask. */
export const nodeTtlController: BuiltInController = {
  name: "ttl-controller",
  aliases: ["ttl"],
  make: () => [tellingTtl()],
};

const annotation = "node.alpha.kubernetes.io/ttl";

function tellingTtl(): Controller {
  let seconds = 0;
  return controller({
    name: "ttl-controller",
    for: nodes,
    // Kubelets tell of themselves all the time: each Node learns of a new number with its own next change.
    reconcile: async ({ name }, { object, cache, client, signal }) => {
      seconds = cacheSeconds(cache(nodes).size, seconds);
      const value = String(seconds);
      if (object === undefined || object.metadata?.annotations?.[annotation] === value) return done;
      const patch = { metadata: { annotations: { [annotation]: value } } };
      await client.resource(nodes).patch(name, { type: "strategic", patch }, { signal });
      return done;
    },
  });
}
