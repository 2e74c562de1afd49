/**
 * An APIService for each group and version that this server serves itself: the built-in ones from the first start on, those
 * of CustomResourceDefinitions for as long as they are served. Where Kubernetes takes discovery's order from.
 * @see https://kubernetes.io/docs/concepts/extend-kubernetes/api-extension/apiserver-aggregation/
 */
import { type apiextensionsV1, type apiregistrationV1, localApiService, type ResourceRegistry } from "@coxswain/api";
import { type Clock, type KubeObject, wireTime } from "@coxswain/machinery";
import type { Entry } from "@coxswain/store";
import type { Log } from "../contracts/log.ts";
import type { ServedResource } from "../contracts/served-resource.ts";
import type { ObjectReader } from "../storage/object-reader.ts";
import { keyOf } from "../storage/served-resource.ts";
import { KeyedReconcileLoop } from "./keyed-reconcile-loop.ts";
import type { ObjectKeeper } from "./object-keeper.ts";

type ApiService = apiregistrationV1.APIService & KubeObject;

const automanaged = "kube-aggregator.kubernetes.io/automanaged";

/** Of the group among groups, and of the version within it. */
type Priorities = readonly [group: number, version: number];

/** As in kube-apiserver: they say in which order kubectl shows groups. */
const builtIn: Readonly<Record<string, Priorities>> = {
  __proto__: null as never,
  "v1.": [18_000, 1],
  "v1.apps": [17_800, 15],
  "v1.events.k8s.io": [17_750, 15],
  "v1.authentication.k8s.io": [17_700, 15],
  "v1.authorization.k8s.io": [17_600, 15],
  "v1.autoscaling": [17_500, 15],
  "v2.autoscaling": [17_500, 30],
  "v1.batch": [17_400, 15],
  "v1.certificates.k8s.io": [17_300, 15],
  "v1.networking.k8s.io": [17_200, 15],
  "v1.policy": [17_100, 15],
  "v1.rbac.authorization.k8s.io": [17_000, 15],
  "v1.storage.k8s.io": [16_800, 15],
  "v1.apiextensions.k8s.io": [16_700, 15],
  "v1.admissionregistration.k8s.io": [16_700, 15],
  "v1.scheduling.k8s.io": [16_600, 15],
  "v1.coordination.k8s.io": [16_500, 15],
  "v1.node.k8s.io": [16_300, 15],
  "v1.discovery.k8s.io": [16_200, 15],
  "v1.resource.k8s.io": [16_200, 21],
  "v1.flowcontrol.apiserver.k8s.io": [16_100, 21],
};
const custom: Priorities = [1_000, 100];

/** As they are stored. `now` in milliseconds since the epoch. */
export const builtInApiServices = (now: number): readonly ApiService[] =>
  Object.entries(builtIn).map(([name, priorities]) => {
    const { group, version } = groupVersionOf(name);
    const status = { conditions: [{ ...localApiService, lastTransitionTime: wireTime(now) }] };
    return { ...apiServiceFor(group, version, priorities, "onstart"), status };
  });

interface ApiServicesOptions {
  readonly reader: ObjectReader;
  readonly registry: ResourceRegistry;
  readonly keeper: ObjectKeeper;
  readonly clock: Clock;
  readonly log: Log;
}

/** Those of CustomResourceDefinitions. */
export class ApiServices implements AsyncDisposable {
  readonly #options: ApiServicesOptions;
  readonly #resource: ServedResource | undefined;
  readonly #loop: KeyedReconcileLoop<undefined>;

  constructor(options: ApiServicesOptions) {
    const { clock, log, reader } = options;
    this.#options = options;
    this.#resource = reader.served.find("apiregistration.k8s.io", "v1", "apiservices");
    this.#loop = new KeyedReconcileLoop({ clock, log, what: "APIServices of CustomResourceDefinitions" }, (name) => this.#reconcile(name));
  }

  /** After CustomResourceDefinitions are served: what is in the registry counts. */
  async start(): Promise<void> {
    const { registry, reader } = this.#options;
    const { store, served, cache } = reader;
    const definitions = served.find("apiextensions.k8s.io", "v1", "customresourcedefinitions");
    const resource = this.#resource;
    if (definitions === undefined || resource === undefined) return;
    for (const group of registry.groups())
      if (!registry.isBuiltIn(group)) for (const version of registry.versions(group)) this.#loop.mark(`${version}.${group}`, undefined);
    const { entries, revision: after } = await store.list(resource.prefix);
    for (const entry of entries) this.#markManaged(entry);
    this.#loop.follow({ store, prefix: resource.prefix, after }, (entry) => this.#markManaged(entry));
    this.#loop.follow({ store, prefix: definitions.prefix, after }, (entry) => {
      const { spec } = cache.objectOf(entry) as Readonly<apiextensionsV1.CustomResourceDefinition>;
      for (const { name } of spec.versions) this.#loop.mark(`${name}.${spec.group}`, undefined);
    });
    this.#loop.trigger();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#loop[Symbol.asyncDispose]();
  }

  #markManaged(entry: Entry): void {
    const { metadata } = this.#options.reader.cache.objectOf(entry);
    if (metadata?.labels?.[automanaged] === "true") this.#loop.mark(metadata.name ?? "", undefined);
  }

  async #reconcile(name: string): Promise<void> {
    const { registry, keeper, reader } = this.#options;
    if (this.#resource === undefined) return;
    const { group, version } = groupVersionOf(name);
    const wanted = apiServiceFor(group, version, custom, "true");
    const isServed = registry.resources(group, version).some((definition) => definition.custom !== undefined);
    const { entry } = await reader.store.get(keyOf(this.#resource, "", name));
    // One that another client wrote stays as it is.
    if (entry !== undefined && reader.cache.labelsOf(entry)[automanaged] !== "true") return;
    if (isServed) await keeper.keep(wanted, (current, isOthers) => void (isOthers || Object.assign(current, { spec: wanted.spec })));
    else if (entry !== undefined) await keeper.remove(wanted);
  }
}

function groupVersionOf(name: string): { readonly group: string; readonly version: string } {
  const dot = name.indexOf(".");
  return { version: name.slice(0, dot), group: name.slice(dot + 1) };
}

const apiServiceFor = (group: string, version: string, priorities: Priorities, managed: "onstart" | "true"): ApiService => ({
  kind: "APIService",
  apiVersion: "apiregistration.k8s.io/v1",
  metadata: { name: `${version}.${group}`, labels: { [automanaged]: managed } },
  spec: {
    ...(group === "" ? {} : { group }),
    version,
    groupPriorityMinimum: priorities[0],
    versionPriority: priorities[1],
  },
});
