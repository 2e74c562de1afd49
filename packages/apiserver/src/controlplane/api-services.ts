/**
 * An APIService for each group and version that this server serves itself: the built-in ones from the first start on, those
 * of CustomResourceDefinitions for as long as they are served. Where Kubernetes takes discovery's order from.
 * @see https://kubernetes.io/docs/concepts/extend-kubernetes/api-extension/apiserver-aggregation/
 */
import { type apiextensionsV1, type apiregistrationV1, localApiService } from "@coxswain/api";
import { isNotFound, type KubeObject, wireTime } from "@coxswain/machinery";
import type { Entry } from "@coxswain/store";
import type { ServerContext } from "../context.ts";
import type { ServedResource } from "../contracts/served-resource.ts";
import { keyOf } from "../storage/served-resource.ts";
import { keepObject, removeObject } from "./keep-object.ts";
import { ReconcileLoop } from "./reconcile-loop.ts";

type ApiService = apiregistrationV1.APIService & KubeObject;

const automanaged = "kube-aggregator.kubernetes.io/automanaged";

/** Of the group among groups, and of the version within it. */
type Priorities = readonly [group: number, version: number];

/** As in kube-apiserver: they say in which order kubectl shows groups. */
const builtIn: Readonly<Record<string, Priorities>> = {
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

/** Those of CustomResourceDefinitions. */
export class ApiServices implements AsyncDisposable {
  readonly #server: ServerContext;
  readonly #resource: ServedResource | undefined;
  readonly #loop: ReconcileLoop;
  readonly #subscriptions = new DisposableStack();
  #due = new Set<string>();

  constructor(server: ServerContext) {
    this.#server = server;
    this.#resource = server.served.find("apiregistration.k8s.io", "v1", "apiservices");
    this.#loop = new ReconcileLoop({ ...server, what: "APIServices of CustomResourceDefinitions" }, () => this.#reconcile());
  }

  /** After CustomResourceDefinitions are served: what is in the registry counts. */
  async start(): Promise<void> {
    const { store, served, cache, registry } = this.#server;
    const definitions = served.find("apiextensions.k8s.io", "v1", "customresourcedefinitions");
    const resource = this.#resource;
    if (definitions === undefined || resource === undefined) return;
    for (const group of registry.groups())
      if (!registry.isBuiltIn(group)) for (const version of registry.versions(group)) this.#due.add(`${version}.${group}`);
    const { entries, revision: after } = await store.list(resource.prefix);
    for (const entry of entries) this.#lookAt(entry);
    const subscribe = (prefix: string, look: (entry: Entry) => void) =>
      this.#subscriptions.use(
        store.subscribe(prefix, { after }, ({ events }) => {
          for (const event of events) {
            if (event.previous !== undefined) look(event.previous);
            if (event.type === "put") look(event.entry);
          }
          if (this.#due.size > 0) this.#loop.trigger();
        }),
      );
    subscribe(resource.prefix, (entry) => this.#lookAt(entry));
    subscribe(definitions.prefix, (entry) => {
      const { spec } = cache.objectOf(entry) as Readonly<apiextensionsV1.CustomResourceDefinition>;
      for (const { name } of spec.versions) this.#due.add(`${name}.${spec.group}`);
    });
    if (this.#due.size > 0) this.#loop.trigger();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#subscriptions[Symbol.dispose]();
    await this.#loop[Symbol.asyncDispose]();
  }

  #lookAt(entry: Entry): void {
    const { metadata } = this.#server.cache.objectOf(entry);
    if (metadata?.labels?.[automanaged] === "true") this.#due.add(metadata.name ?? "");
  }

  async #reconcile(): Promise<void> {
    const due = this.#due;
    this.#due = new Set();
    await Promise.all(
      [...due].map(async (name) => {
        try {
          await this.#settle(name);
        } catch (error) {
          this.#due.add(name);
          throw error;
        }
      }),
    );
  }

  async #settle(name: string): Promise<void> {
    const { registry, store, cache } = this.#server;
    if (this.#resource === undefined) return;
    const { group, version } = groupVersionOf(name);
    const wanted = apiServiceFor(group, version, custom, "true");
    const isServed = registry.resources(group, version).some((definition) => definition.custom !== undefined);
    const { entry } = await store.get(keyOf(this.#resource, "", name));
    // One that somebody else wrote is theirs.
    if (entry !== undefined && cache.labelsOf(entry)[automanaged] !== "true") return;
    if (isServed) await keepObject(this.#server, wanted, (current) => Object.assign(current, { spec: wanted.spec }));
    else if (entry !== undefined) await this.#remove(wanted);
  }

  async #remove(apiService: Readonly<KubeObject>): Promise<void> {
    try {
      await removeObject(this.#server, apiService);
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
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
