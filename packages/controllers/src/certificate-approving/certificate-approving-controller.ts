/**
 * Approves certificate signing requests of kubelets. They are signed by the API server that takes the approval
 * (docs/adr/0006); on another cluster, by its own controllers.
 */
import {
  certificateSigningRequests,
  controller,
  done,
  exponentialBackoff,
  maxOfRateLimiters,
  type Outcome,
  type ReconcileContext,
  sharedBucket,
} from "@coxswain/client";
import type { BuiltInController } from "../contracts/built-in-controller.ts";
import { act } from "./act.ts";
import { type Csr, plan } from "./plan.ts";

/**
 * The certificatesigningrequest-approving-controller approves the client certificates that kubelets request for their own Nodes.
 * @see https://kubernetes.io/docs/reference/access-authn-authz/kubelet-tls-bootstrapping/
 */
export const certificateApprovingController: BuiltInController = {
  name: "certificatesigningrequest-approving-controller",
  serviceAccount: "certificate-controller",
  aliases: ["csrapproving"],
  make: ({ client: { clock } }) => [
    controller<Csr>({
      name: "certificatesigningrequest-approving-controller",
      for: certificateSigningRequests,
      predicate: ({ type }) => type !== "deleted",
      rateLimiter: () => maxOfRateLimiters(exponentialBackoff({ baseMs: 200 }), sharedBucket({ clock })),
      reconcile: async (_ref, ctx): Promise<Outcome> => {
        const csr = observe(ctx);
        return csr === undefined ? done : await act(ctx, csr, plan(csr));
      },
    }),
  ],
};

const observe = ({ object }: ReconcileContext<Csr>): Csr | undefined => object;
