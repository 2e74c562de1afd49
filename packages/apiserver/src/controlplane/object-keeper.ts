/** Objects that the API server itself keeps: made where they are missing, put right where they are not as they should be. */
import { isNotFound, type KubeObject, parseApiVersion, type RandomSource } from "@coxswain/machinery";
import type { RequestContext } from "../contracts/request-context.ts";
import type { ServedResources } from "../contracts/served-resource.ts";
import type { GenericRegistry } from "../registry/generic-registry.ts";
import { type SystemRequest, systemContext } from "../registry/system-context.ts";
import type { DeleteOptions } from "../request/options.ts";
import { cloneJson } from "../storage/clone-json.ts";

/** What makes an object that is there already right, in place; the others' part of it stays. */
export type Amend = (current: KubeObject) => void;

interface ObjectKeeperOptions {
  readonly registry: GenericRegistry;
  readonly served: Pick<ServedResources, "byKind">;
  readonly random: RandomSource;
}

export class ObjectKeeper {
  readonly #options: ObjectKeeperOptions;

  constructor(options: ObjectKeeperOptions) {
    this.#options = options;
  }

  /** `wanted` has apiVersion, kind and name, and all that is defaulted. What is right already is not written. */
  async keep(wanted: KubeObject, amend: Amend): Promise<void> {
    const { registry } = this.#options;
    const { name = "", namespace = "" } = wanted.metadata ?? {};
    await registry.update(this.#contextFor(wanted, "update"), name, {
      part: "main",
      dryRun: false,
      next: (current) => {
        const next = cloneJson(current as KubeObject);
        amend(next);
        return next;
      },
      whenAbsent: () =>
        registry.create(this.#contextFor(wanted, "create"), cloneJson({ ...wanted, metadata: { ...wanted.metadata, namespace } }), false),
    });
  }

  /** The object that `about` names by its apiVersion, kind and metadata, unless it is gone already. */
  async remove(about: Readonly<KubeObject>): Promise<void> {
    const { name = "", namespace = "" } = about.metadata ?? {};
    try {
      await this.#options.registry.delete(this.#contextFor(about, "delete"), namespace, name, deletion);
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }

  #contextFor({ apiVersion = "", kind = "", metadata }: Readonly<KubeObject>, verb: SystemRequest["verb"]): RequestContext {
    const { served, random } = this.#options;
    const { group, version } = parseApiVersion(apiVersion) ?? { group: "", version: "" };
    const resource = served.byKind(group, version, kind);
    if (resource === undefined) throw new Error(`the registry lacks ${apiVersion} ${kind}`);
    const { name = "", namespace = "" } = metadata ?? {};
    const user = "system:apiserver";
    return systemContext(random, resource, { component: "kube-apiserver", user, verb, namespace, name });
  }
}

const deletion: DeleteOptions = {
  dryRun: false,
  gracePeriodSeconds: undefined,
  propagationPolicy: undefined,
  cascades: false,
  preconditions: {},
};
