import { builtinTypeFacts } from "../facts/type-facts.ts";
import { clusterTexts, storageTexts } from "./cluster.ts";
import { containerTexts } from "./container.ts";
import { listText, textsOfKinds, textsOfLists } from "./every-kind.ts";
import { metaTexts } from "./meta.ts";
import { networkingTexts } from "./networking.ts";
import { podTexts } from "./pod.ts";
import { coordinationTexts, policyTexts } from "./policy.ts";
import { rbacTexts } from "./rbac.ts";
import { discoveryTexts, serviceTexts } from "./service.ts";
import type { Descriptions, Texts } from "./texts.ts";
import { volumeTexts } from "./volume.ts";
import { appsTexts, autoscalingTexts, batchTexts } from "./workloads.ts";

/** By what comes before the type's short name. */
const texts: Readonly<Record<string, Texts>> = {
  __proto__: null as never,
  "io.k8s.api.core.v1": { ...clusterTexts, ...containerTexts, ...podTexts, ...serviceTexts, ...volumeTexts },
  "io.k8s.api.apps.v1": appsTexts,
  "io.k8s.api.autoscaling.v1": autoscalingTexts,
  "io.k8s.api.autoscaling.v2": autoscalingTexts,
  "io.k8s.api.batch.v1": batchTexts,
  "io.k8s.api.coordination.v1": coordinationTexts,
  "io.k8s.api.discovery.v1": discoveryTexts,
  "io.k8s.api.networking.v1": networkingTexts,
  "io.k8s.api.policy.v1": policyTexts,
  "io.k8s.api.rbac.v1": rbacTexts,
  "io.k8s.api.storage.v1": storageTexts,
  "io.k8s.apimachinery.pkg.apis.meta.v1": metaTexts,
  "io.k8s.apimachinery.pkg.api.resource": {
    Quantity: { "": "An amount: a number with a suffix such as m, k, M, Ki, Mi or an exponent. 0.5 is written 500m." },
  },
  "io.k8s.apimachinery.pkg.runtime": { RawExtension: { "": "Any object, kept as it is." } },
  "io.k8s.apimachinery.pkg.util.intstr": { IntOrString: { "": "A whole number or a text, such as a percentage or the name of a port." } },
};

const kinds = new Set([...builtinTypeFacts()].filter(([, facts]) => facts.gvk !== undefined).map(([name]) => name));

/** Texts of a type, with those for the fields that mean the same in every kind. */
export const describe: Descriptions = (type) => {
  const dot = type.lastIndexOf(".");
  const name = type.slice(dot + 1);
  const own = texts[type.slice(0, dot)]?.[name] ?? {};
  if (!kinds.has(type)) return own;
  if (name.endsWith("List")) return { "": listText(name.slice(0, -"List".length)), ...textsOfLists, ...own };
  return { ...textsOfKinds, ...own };
};
