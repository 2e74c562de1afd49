/** ConfigMaps and Secrets for tests, without a server. */
import type { coreV1 } from "@coxswain/api";
import { notFound } from "@coxswain/machinery";
import type { SecretAndConfigMapManager } from "../object-managers/watch-based-manager.ts";

export interface ObjectsUnderTest extends SecretAndConfigMapManager {
  /** By `namespace/name`. */
  readonly configMaps: Map<string, coreV1.ConfigMap>;
  readonly secrets: Map<string, coreV1.Secret>;
}

export function objectsUnderTest(): ObjectsUnderTest {
  const configMaps = new Map<string, coreV1.ConfigMap>();
  const secrets = new Map<string, coreV1.Secret>();
  const find = <T>(map: ReadonlyMap<string, T>, resource: string, namespace: string, name: string): T => {
    const found = map.get(`${namespace}/${name}`);
    if (found === undefined) throw notFound({ group: "", resource }, name);
    return found;
  };
  return {
    configMaps,
    secrets,
    size: 0,
    registerPod: () => undefined,
    unregisterPod: () => undefined,
    getConfigMap: async (namespace, name) => find(configMaps, "configmap", namespace, name),
    getSecret: async (namespace, name) => find(secrets, "secret", namespace, name),
    [Symbol.asyncDispose]: async () => undefined,
  };
}

export const base64 = (text: string): string => Buffer.from(text).toString("base64");
