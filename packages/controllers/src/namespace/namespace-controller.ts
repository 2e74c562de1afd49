import { controller, done, exponentialBackoff, isBeingDeleted, namespaces, type Outcome, type ReconcileContext } from "@coxswain/client";
import type { BuiltInController } from "../contracts/built-in-controller.ts";
import { act } from "./act.ts";
import { type Namespace, type ObservedNamespace, plan } from "./plan.ts";

/**
 * The namespace-controller deletes what is in a Namespace that is being deleted, reports in its conditions what remains, and lets it go.
 * @see https://kubernetes.io/docs/concepts/overview/working-with-objects/namespaces/
 */
export const namespaceController: BuiltInController = {
  name: "namespace-controller",
  serviceAccount: "namespace-controller",
  aliases: ["namespace"],
  make: () => [
    controller({
      name: "namespace-controller",
      for: namespaces,
      predicate: ({ object }) => isBeingDeleted(object),
      concurrency: 10,
      rateLimiter: () => exponentialBackoff({ maxMs: 60_000 }),
      reconcile: async ({ name }, ctx): Promise<Outcome> => {
        const observed = observe(ctx);
        return observed === undefined ? done : await act(name, ctx, plan(observed));
      },
    }),
  ],
};

const observe = ({ object: namespace, client }: ReconcileContext<Namespace>): ObservedNamespace | undefined =>
  namespace && { namespace, nowMs: client.clock.now() };
