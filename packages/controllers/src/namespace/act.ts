/** Deletes what is in a Namespace, writes its conditions, and lets it go once it is empty. */
import { done, isBeingDeleted, namespaces, type Outcome, type ReconcileContext, requeue, unlessNotFound } from "@coxswain/client";
import { nextConditions } from "./conditions.ts";
import { deleteContent, type Pass } from "./delete-content.ts";
import { type Namespace, type NamespacePlan, planAfterPass } from "./plan.ts";

export async function act(name: string, ctx: ReconcileContext<Namespace>, planned: NamespacePlan): Promise<Outcome> {
  if (planned.do === "nothing") return done;
  if (planned.do === "wait") return requeue(planned.afterMs);
  const { client, signal } = ctx;
  const found = await current(name, ctx);
  if (found === undefined || !isBeingDeleted(found)) return done;
  const namespace = await terminating(found, ctx);
  if ((namespace.spec?.finalizers ?? []).length === 0) return done;
  const pass = await deleteContent({ client, namespace, signal });
  const written = await writeConditions(namespace, pass, ctx);
  const next = planAfterPass(pass);
  switch (next.do) {
    case "fail":
      throw next.error;
    case "wait":
      return requeue(next.afterMs);
    case "finalize":
      await finalize(written, ctx);
      return done;
  }
}

const finalizer = "kubernetes";

/** From the server: what follows cannot be undone. */
const current = (name: string, { client, signal }: ReconcileContext<Namespace>): Promise<Namespace | undefined> =>
  unlessNotFound(client.resource(namespaces).get(name, { signal }), namespaces, name);

async function terminating(namespace: Namespace, { client, signal }: ReconcileContext<Namespace>): Promise<Namespace> {
  if (namespace.status?.phase === "Terminating") return namespace;
  const status = { ...namespace.status, phase: "Terminating" };
  return await client.resource(namespaces).updateStatus({ ...namespace, status }, { signal });
}

async function writeConditions(namespace: Namespace, pass: Pass, { client, signal }: ReconcileContext<Namespace>): Promise<Namespace> {
  const conditions = nextConditions(namespace.status?.conditions ?? [], pass, client.clock.now());
  if (conditions === undefined) return namespace;
  return await client.resource(namespaces).updateStatus({ ...namespace, status: { ...namespace.status, conditions } }, { signal });
}

async function finalize(namespace: Namespace, { client, signal }: ReconcileContext<Namespace>): Promise<void> {
  const finalizers = (namespace.spec?.finalizers ?? []).filter((one) => one !== finalizer).sort();
  const next = { ...namespace, kind: "Namespace", apiVersion: "v1", spec: { ...namespace.spec, finalizers } };
  await client
    .resource(namespaces)
    .subresource(namespace.metadata?.name ?? "", "finalize")
    .update(next, { signal });
}
