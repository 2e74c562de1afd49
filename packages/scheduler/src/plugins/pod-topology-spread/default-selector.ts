/** Which Pods belong together though they have no constraints: those behind one Service, or of one owner. */

import type { appsV1, coreV1 } from "@coxswain/api";
import { controllerOf, type InformerSet, type Lister, replicaSets, replicationControllers, services, statefulSets } from "@coxswain/client";
import { isBadRequest, type LabelSelector, labelSelectorFromObject } from "@coxswain/machinery";
import type { PodInfo } from "../../framework/pod-info.ts";
import type { SelectorSource } from "./constraints.ts";

type SelectorObject = NonNullable<coreV1.TopologySpreadConstraint["labelSelector"]>;

const byFirstLabel = "the first label that is selected";

/** Without a selector a Service chooses nothing; with an empty one everything, which adds no label. */
function firstLabelOf({ metadata, spec }: coreV1.Service): readonly string[] {
  const [first] = Object.entries(spec?.selector ?? {});
  return first === undefined ? [] : [pairOf(metadata?.namespace ?? "", ...first)];
}

const pairOf = (namespace: string, label: string, value: string): string => `${namespace} ${label}=${value}`;

/** Follows them from when it is made. */
export class DefaultSelectors implements SelectorSource {
  readonly #services: Lister<coreV1.Service>;
  readonly #controllers: Lister<coreV1.ReplicationController>;
  readonly #replicaSets: Lister<appsV1.ReplicaSet>;
  readonly #statefulSets: Lister<appsV1.StatefulSet>;

  constructor(informers: InformerSet) {
    this.#services = informers.use(services, { indexes: { [byFirstLabel]: firstLabelOf } }).informer.lister;
    this.#controllers = informers.use(replicationControllers).informer.lister;
    this.#replicaSets = informers.use(replicaSets).informer.lister;
    this.#statefulSets = informers.use(statefulSets).informer.lister;
  }

  of(pod: PodInfo): LabelSelector | undefined {
    const owner = this.#selectorOfOwner(pod);
    const matchLabels = { ...this.#labelsOfServices(pod), ...owner?.more };
    const matchExpressions = [...(owner?.selector?.matchExpressions ?? []), ...inAll(owner?.selector?.matchLabels)];
    if (Object.keys(matchLabels).length + matchExpressions.length === 0) return undefined;
    try {
      return labelSelectorFromObject({ matchLabels, matchExpressions });
    } catch (error) {
      if (isBadRequest(error)) return undefined;
      throw error;
    }
  }

  #labelsOfServices({ namespace, labels }: PodInfo): Record<string, string> {
    const all: Record<string, string> = {};
    for (const [label, value] of Object.entries(labels))
      for (const { spec } of this.#services.byIndex(byFirstLabel, pairOf(namespace, label, value))) {
        const selector = Object.entries(spec?.selector ?? {});
        if (selector.every(([key, wanted]) => labels[key] === wanted)) for (const [key, wanted] of selector) all[key] = wanted;
      }
    return all;
  }

  #selectorOfOwner({
    pod,
    namespace,
  }: PodInfo): { readonly more?: Record<string, string>; readonly selector?: SelectorObject } | undefined {
    const owner = controllerOf(pod);
    if (owner === undefined) return undefined;
    const ref = { namespace, name: owner.name };
    switch (`${owner.apiVersion} ${owner.kind}`) {
      case "v1 ReplicationController":
        return { more: this.#controllers.get(ref)?.spec?.selector ?? {} };
      case "apps/v1 ReplicaSet":
        return { selector: this.#replicaSets.get(ref)?.spec?.selector ?? {} };
      case "apps/v1 StatefulSet":
        return { selector: this.#statefulSets.get(ref)?.spec?.selector ?? {} };
      default:
        return undefined;
    }
  }
}

const inAll = (labels: Readonly<Record<string, string>> | undefined) =>
  Object.entries(labels ?? {}).map(([key, value]) => ({ key, operator: "In", values: [value] }));
