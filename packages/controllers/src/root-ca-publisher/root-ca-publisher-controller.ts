import {
  configMaps,
  controller,
  done,
  isNamespaceTerminating,
  isObjectNotFound,
  namespaces,
  type Outcome,
  type ReconcileContext,
  watching,
} from "@coxswain/client";
import type { BuiltInController } from "../contracts/built-in-controller.ts";
import { ofName, theNamespace } from "../shared/namespaces/one-per-namespace.ts";
import { type ConfigMapPlan, configMapName, type ObservedConfigMap, plan } from "./plan.ts";
import { alsoWhenChanged, followedRootCa } from "./root-ca.ts";

type Context = ReconcileContext<{ kind?: string }>;

/** The root-ca-certificate-publisher-controller publishes the cluster's CA certificates in every Namespace, as ConfigMap `kube-root-ca.crt`. */
export const rootCaPublisherController: BuiltInController = {
  name: "root-ca-certificate-publisher-controller",
  serviceAccount: "root-ca-cert-publisher",
  aliases: ["root-ca-cert-publisher"],
  make({ settings }) {
    if (settings.rootCa === undefined) return [];
    const rootCa = followedRootCa(settings.rootCa);
    return [
      controller({
        name: "root-ca-certificate-publisher-controller",
        for: namespaces,
        watches: [alsoWhenChanged(watching(configMaps, theNamespace, ofName(configMapName)), rootCa)],
        reconcile: async ({ name: namespace }, ctx): Promise<Outcome> => {
          const observed = observe(ctx, namespace, rootCa.current);
          if (observed !== undefined) await act(ctx, namespace, plan(observed));
          return done;
        },
      }),
    ];
  },
};

const observe = ({ object, cache }: Context, namespace: string, rootCa: string): ObservedConfigMap | undefined =>
  object && { current: cache(configMaps).get({ namespace, name: configMapName }), rootCa };

async function act({ client, signal }: Context, namespace: string, planned: ConfigMapPlan): Promise<void> {
  const resource = client.resource(configMaps, namespace);
  switch (planned.do) {
    case "nothing":
      return;
    case "update":
      await resource.update(planned.configMap, { signal });
      return;
    case "create":
      await resource.create(planned.configMap, { signal }).catch((error: unknown) => {
        if (!isObjectNotFound(error, namespaces, namespace) && !isNamespaceTerminating(error)) throw error;
      });
  }
}
