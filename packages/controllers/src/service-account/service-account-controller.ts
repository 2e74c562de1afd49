import type { api } from "@coxswain/client";
import {
  controller,
  done,
  isAlreadyExists,
  isNamespaceTerminating,
  namespaces,
  type Outcome,
  type ReconcileContext,
  serviceAccounts,
  watching,
} from "@coxswain/client";
import type { BuiltInController } from "../contracts/built-in-controller.ts";
import { ofName, theNamespace } from "../shared/namespaces/one-per-namespace.ts";

type Context = ReconcileContext<api.coreV1.Namespace>;

const name = "default";

/** The serviceaccount-controller gives every Namespace the ServiceAccount `default`, which Pods run as unless they name another. */
export const serviceAccountController: BuiltInController = {
  name: "serviceaccount-controller",
  serviceAccount: "service-account-controller",
  aliases: ["serviceaccount"],
  make: () => [
    controller({
      name: "serviceaccount-controller",
      for: namespaces,
      watches: [watching(serviceAccounts, theNamespace, { ...ofName(name), predicate: ({ type }) => type === "deleted" })],
      reconcile: async (ref, ctx): Promise<Outcome> => {
        if (plan(observe(ref.name, ctx)) === "create") await act(ref.name, ctx);
        return done;
      },
    }),
  ],
};

interface ObservedNamespace {
  readonly isActive: boolean;
  readonly hasAccount: boolean;
}

const observe = (namespace: string, { object, cache }: Context): ObservedNamespace => ({
  isActive: object?.status?.phase === "Active",
  hasAccount: cache(serviceAccounts).get({ namespace, name }) !== undefined,
});

export const plan = ({ isActive, hasAccount }: ObservedNamespace): "create" | "nothing" => (isActive && !hasAccount ? "create" : "nothing");

async function act(namespace: string, { client, signal }: Context): Promise<void> {
  try {
    await client.resource(serviceAccounts, namespace).create({ metadata: { name, namespace } }, { signal });
  } catch (error) {
    if (!isAlreadyExists(error) && !isNamespaceTerminating(error)) throw error;
  }
}
