import type { api } from "@coxswain/client";
import {
  type Controller,
  controller,
  done,
  exponentialBackoff,
  isBeingDeleted,
  namespaces,
  type Outcome,
  type ReconcileContext,
  requeue,
  unlessNotFound,
} from "@coxswain/client";
import { millisOf } from "@coxswain/machinery";
import type { BuiltInController } from "../contracts/built-in-controller.ts";
import { nextConditions } from "./conditions.ts";
import { deleteContent, type Pass } from "./delete-content.ts";

type Namespace = api.coreV1.Namespace;

/** Empties a Namespace that is being deleted, says in its conditions what holds it up, and lets it go. */
export const namespaceController: BuiltInController = {
  name: "namespace-controller",
  aliases: ["namespace"],
  make: () => [emptying()],
};

const emptying = (): Controller =>
  controller({
    name: "namespace-controller",
    for: namespaces,
    predicate: ({ object }) => isBeingDeleted(object),
    concurrency: 10,
    rateLimiter: () => exponentialBackoff({ maxMs: 60_000 }),
    reconcile: ({ name }, ctx) => reconcileNamespace(name, ctx),
  });

/** Other API servers have to learn of the deletion too, and to refuse what would be created still. */
const quietMs = 5_000;

const finalizer = "kubernetes";

async function reconcileNamespace(name: string, ctx: ReconcileContext<Namespace>): Promise<Outcome> {
  const { client, signal, object } = ctx;
  if (object === undefined || !isBeingDeleted(object)) return done;
  const sinceMs = client.clock.now() - (millisOf(object.metadata?.deletionTimestamp) ?? 0);
  if (sinceMs < quietMs) return requeue(Math.min(quietMs, quietMs - sinceMs));
  const found = await current(name, ctx);
  if (found === undefined || !isBeingDeleted(found)) return done;
  const namespace = await terminating(found, ctx);
  if ((namespace.spec?.finalizers ?? []).length === 0) return done;
  const pass = await deleteContent({ client, namespace, signal });
  const written = await writeConditions(namespace, pass, ctx);
  const errors = [...(pass.discovery === undefined ? [] : [pass.discovery.error]), ...pass.failures];
  if (errors.length > 0)
    throw errors.length === 1 ? errors[0] : new AggregateError(errors, errors.map(({ message }) => message).join(", "));
  if (pass.estimateSeconds > 0) return requeue((Math.floor(pass.estimateSeconds / 2) + 1) * 1000);
  await finalize(written, ctx);
  return done;
}

/** Read anew: what follows cannot be undone. */
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
