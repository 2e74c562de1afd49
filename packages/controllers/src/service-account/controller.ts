import type { api } from "@coxswain/client";
import {
  type Controller,
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
import type { BuiltInController } from "../built-in-controller.ts";
import { ofName, theNamespace } from "../namespaced-one.ts";

/** Gives every Namespace the ServiceAccount that Pods run as unless they name another. */
export const serviceAccountController: BuiltInController = {
  name: "serviceaccount-controller",
  aliases: ["serviceaccount"],
  make: () => [keepingDefaultAccounts()],
};

const name = "default";

const keepingDefaultAccounts = (): Controller =>
  controller({
    name: "serviceaccount-controller",
    for: namespaces,
    watches: [watching(serviceAccounts, theNamespace, { ...ofName(name), predicate: ({ type }) => type === "deleted" })],
    reconcile: (ref, ctx) => reconcileNamespace(ref.name, ctx),
  });

async function reconcileNamespace(namespace: string, ctx: ReconcileContext<api.coreV1.Namespace>): Promise<Outcome> {
  const { object, cache, client, signal } = ctx;
  if (object?.status?.phase !== "Active" || cache(serviceAccounts).get({ namespace, name }) !== undefined) return done;
  try {
    await client.resource(serviceAccounts, namespace).create({ metadata: { name, namespace } }, { signal });
  } catch (error) {
    if (!isAlreadyExists(error) && !isNamespaceTerminating(error)) throw error;
  }
  return done;
}
