/** A controller as people write them, and a cluster for it. */

import assert from "node:assert/strict";
import {
  type ControllerOptions,
  configMaps,
  controller,
  defineResource,
  done,
  type KubeObject,
  type Outcome,
  type ReconcileContext,
  runControllers,
  setControllerReference,
} from "@coxswain/client";
import { sleep } from "@coxswain/machinery";
import { waitUntil } from "@coxswain/machinery/testing";
import { startCluster, type TestCluster, virtualClock } from "coxswain/testing";

/** Like a Deployment, but of ConfigMaps: there shall be as many copies as the shelf says. */
export interface Shelf extends KubeObject {
  spec: { copies: number };
  status?: { copies: number };
}

export const shelves = defineResource<Shelf>({
  group: "library.example",
  version: "v1",
  resource: "shelves",
  kind: "Shelf",
  namespaced: true,
});

const definition = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: shelves.library.example }
spec:
  group: library.example
  scope: Namespaced
  names: { plural: shelves, singular: shelf, kind: Shelf }
  versions:
  - name: v1
    served: true
    storage: true
    subresources: { status: {} }
    schema: { openAPIV3Schema: { type: object, x-kubernetes-preserve-unknown-fields: true } }
`;

export const shelf = (name: string, copies: number): Shelf => ({ metadata: { name, namespace: "default" }, spec: { copies } });

/** Names are the server's to choose, so that whoever counted too few in an old cache would make too many. */
export async function stock(_: unknown, { object, owned, client, signal }: ReconcileContext<Shelf>): Promise<Outcome> {
  if (object === undefined) return done;
  const copies = owned(configMaps).filter(({ metadata }) => metadata?.deletionTimestamp === undefined);
  const surplus = copies.length - object.spec.copies;
  for (let i = 0; i < -surplus; i++) {
    const copy = { metadata: { generateName: `${object.metadata?.name}-`, namespace: "default" } };
    await client.resource(configMaps).create(setControllerReference(copy, object, { kind: shelves }), { signal });
  }
  for (const { metadata } of copies.slice(0, Math.max(0, surplus)))
    await client.resource(configMaps).delete({ namespace: "default", name: metadata?.name ?? "" }, { signal });
  if (object.status?.copies !== object.spec.copies)
    await client.resource(shelves).updateStatus({ ...object, status: { copies: object.spec.copies } }, { signal });
  return done;
}

export const stocking = (changes: Partial<ControllerOptions<Shelf>> = {}) =>
  controller<Shelf>({ name: "shelf", for: shelves, owns: [configMaps], reconcile: stock, ...changes });

export async function startLibrary(): Promise<TestCluster> {
  const cluster = await startCluster({ clock: virtualClock({ autoAdvance: true }) });
  await cluster.applyYaml(definition);
  return cluster;
}

export async function copiesIn({ client }: TestCluster): Promise<string[]> {
  const { items } = await client.resource(configMaps, "default").list();
  return items.flatMap(({ metadata }) => metadata?.name ?? []).filter((name) => !name.startsWith("kube-root-ca"));
}

/** Runs while `use` does. */
export async function running(
  controllers: Parameters<typeof runControllers>[0],
  { client }: Pick<TestCluster, "client">,
  use: () => Promise<void>,
): Promise<void> {
  const stop = new AbortController();
  const run = runControllers(controllers, { client, signal: stop.signal });
  try {
    await Promise.race([use(), run.then(() => assert.fail("the controllers have ended"))]);
  } finally {
    stop.abort();
    await run;
  }
}

export const until = async ({ clock }: TestCluster, holds: () => Promise<boolean> | boolean): Promise<void> => {
  await waitUntil(String(holds), holds, { pause: () => sleep(clock, 100) });
};
