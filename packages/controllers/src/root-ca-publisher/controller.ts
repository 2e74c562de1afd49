import {
  type Client,
  type Controller,
  configMaps,
  controller,
  done,
  isNamespaceTerminating,
  isObjectNotFound,
  namespaces,
  type Outcome,
  watching,
} from "@coxswain/client";
import type { BuiltInController } from "../built-in-controller.ts";
import { ofName, theNamespace } from "../namespaced-one.ts";
import { configMapName, nextConfigMap } from "./next-config-map.ts";

/** Publishes in every Namespace whom Pods have to trust to talk to the API server. */
export const rootCaPublisherController: BuiltInController = {
  name: "root-ca-certificate-publisher-controller",
  aliases: ["root-ca-cert-publisher"],
  make: ({ settings: { rootCa } }) => (rootCa === undefined ? [] : [publishing(rootCa)]),
};

const publishing = (rootCa: string): Controller =>
  controller({
    name: "root-ca-certificate-publisher-controller",
    for: namespaces,
    watches: [watching(configMaps, theNamespace, ofName(configMapName))],
    reconcile: async ({ name: namespace }, { object, cache, client, signal }) => {
      if (object === undefined) return done;
      const current = cache(configMaps).get({ namespace, name: configMapName });
      const next = nextConfigMap(current, rootCa);
      return next === undefined ? done : await write(client, namespace, { exists: current !== undefined, next }, signal);
    },
  });

interface Writing {
  readonly exists: boolean;
  readonly next: NonNullable<ReturnType<typeof nextConfigMap>>;
}

async function write(client: Client, namespace: string, { exists, next }: Writing, signal: AbortSignal): Promise<Outcome> {
  const resource = client.resource(configMaps, namespace);
  if (exists) {
    await resource.update(next, { signal });
    return done;
  }
  await resource.create(next, { signal }).catch((error: unknown) => {
    if (!isObjectNotFound(error, namespaces, namespace) && !isNamespaceTerminating(error)) throw error;
  });
  return done;
}
