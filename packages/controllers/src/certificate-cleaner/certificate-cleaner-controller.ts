import {
  certificateSigningRequests,
  controller,
  done,
  type Outcome,
  type ReconcileContext,
  requeue,
  unlessNotFound,
} from "@coxswain/client";
import { certificateEndMs } from "@coxswain/pki";
import type { BuiltInController } from "../contracts/built-in-controller.ts";
import { type CleanerPlan, type Csr, type ObservedRequest, plan } from "./plan.ts";

/** The certificatesigningrequest-cleaner-controller deletes certificate signing requests that were decided, or not decided, long enough ago. */
export const certificateCleanerController: BuiltInController = {
  name: "certificatesigningrequest-cleaner-controller",
  serviceAccount: "certificate-controller",
  aliases: ["csrcleaner"],
  make: () => [
    controller<Csr>({
      name: "certificatesigningrequest-cleaner-controller",
      for: certificateSigningRequests,
      predicate: ({ type }) => type !== "deleted",
      reconcile: async (_ref, ctx): Promise<Outcome> => {
        const observed = observe(ctx);
        return observed === undefined ? done : await act(ctx, observed.csr, plan(observed));
      },
    }),
  ],
};

const observe = ({ object: csr, client }: ReconcileContext<Csr>): ObservedRequest | undefined =>
  csr && { csr, certificateEndMs: certificateEndMs(csr.status?.certificate), nowMs: client.clock.now() };

async function act({ client, signal }: ReconcileContext<Csr>, { metadata }: Csr, planned: CleanerPlan): Promise<Outcome> {
  if (planned.do === "nothing") return done;
  if (planned.do === "wait") return requeue(planned.afterMs);
  const { name = "", uid } = metadata ?? {};
  const options = { signal, ...(uid === undefined ? {} : { preconditions: { uid } }) };
  await unlessNotFound(client.resource(certificateSigningRequests).delete(name, options), certificateSigningRequests, name);
  return done;
}
