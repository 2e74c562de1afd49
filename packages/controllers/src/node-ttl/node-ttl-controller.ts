import { controller, done, nodes, type Outcome, type ReconcileContext } from "@coxswain/client";
import type { BuiltInController } from "../contracts/built-in-controller.ts";
import { annotation, type Node, type ObservedNode, plan } from "./plan.ts";

/** The ttl-controller annotates each Node with how long its kubelet may cache Secrets and ConfigMaps: the longer, the more Nodes there are. */
export const nodeTtlController: BuiltInController = {
  name: "ttl-controller",
  serviceAccount: "ttl-controller",
  aliases: ["ttl"],
  make: () => {
    let seconds = 0;
    return [
      controller({
        name: "ttl-controller",
        for: nodes,
        // Nodes change all the time: each gets a new number with its own next change.
        reconcile: async ({ name }, ctx): Promise<Outcome> => {
          const observed = observe(ctx, seconds);
          const planned = plan(observed);
          seconds = planned.seconds;
          if (planned.do === "annotate") await act(ctx, name, seconds);
          return done;
        },
      }),
    ];
  },
};

const observe = ({ object, cache }: ReconcileContext<Node>, before: number): ObservedNode => ({
  node: object,
  nodes: cache(nodes).size,
  before,
});

async function act({ client, signal }: ReconcileContext<Node>, name: string, seconds: number): Promise<void> {
  const patch = { metadata: { annotations: { [annotation]: String(seconds) } } };
  await client.resource(nodes).patch(name, { type: "strategic", patch }, { signal });
}
