/**
 * The stage of the examples: a cluster of their own in this process, the same in every run. With
 * COXSWAIN_EXAMPLE_KUBECONFIG they play on that cluster instead, in a namespace of their own that is gone afterwards.
 */
import { type Client, isNotFound, namespaces, systemClock } from "@coxswain/client";
import { clientFromKubeconfig } from "@coxswain/client/node";
import { AsyncDisposableStack } from "@coxswain/machinery";
import { applyYaml, startCluster, type TestCluster, virtualClock, waitFor } from "coxswain/testing";

export interface ExampleCluster extends Pick<TestCluster, "clock" | "client" | "clientFor" | "applyYaml" | "waitFor">, AsyncDisposable {}

/** Time is virtual, unless what an example talks to besides lives in the real one. */
export async function exampleCluster({ realTime = false } = {}): Promise<ExampleCluster> {
  const kubeconfig = process.env.COXSWAIN_EXAMPLE_KUBECONFIG;
  if (kubeconfig) return await visited(kubeconfig);
  const clock = realTime ? systemClock : virtualClock({ now: Date.UTC(2026, 0, 1), autoAdvance: true });
  return await startCluster({ seed: 1, clock });
}

async function visited(kubeconfig: string): Promise<ExampleCluster> {
  await using stack = new AsyncDisposableStack();
  const visitor = stack.use(await clientFromKubeconfig({ paths: [kubeconfig] }));
  const space = await visitor.resource(namespaces).create({ metadata: { generateName: "coxswain-example-" } });
  const namespace = space.metadata?.name ?? "";
  stack.defer(async () => void (await visitor.resource(namespaces).delete(namespace)));
  const client = visitor.with({ namespace });
  const owned = stack.move();
  return {
    clock: client.clock,
    client,
    clientFor: ({ name }, { faults: _, ...options } = {}) => client.with({ fieldManager: name, ...options }),
    applyYaml: async (manifests, options) => {
      const objects = await applyYaml(client, manifests, options);
      for (const object of objects) owned.defer(() => remove(client, object));
      return objects;
    },
    waitFor: (ref, target, until, options) => waitFor(client, { ref, target, until }, options),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

async function remove(
  client: Client,
  { apiVersion = "", kind = "", metadata }: Awaited<ReturnType<typeof applyYaml>>[number],
): Promise<void> {
  const { name = "", namespace } = metadata ?? {};
  try {
    await client.resource(await client.refOf({ apiVersion, kind })).delete({ name, namespace });
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}
