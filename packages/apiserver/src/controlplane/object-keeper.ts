/** Objects that the API server itself keeps: made where they are missing, put right where they are not as they should be. */
import { isNotFound, type KubeObject, parseApiVersion, type RandomSource } from "@coxswain/machinery";
import type { Entry, Revision, Store } from "@coxswain/store";
import type { RequestContext } from "../contracts/request-context.ts";
import type { ServedResources } from "../contracts/served-resource.ts";
import type { GenericRegistry } from "../registry/generic-registry.ts";
import { type SystemRequest, systemContext } from "../registry/system-context.ts";
import type { DeleteOptions } from "../request/options.ts";
import { cloneJson } from "../storage/clone-json.ts";
import { keyOf } from "../storage/served-resource.ts";

/**
 * What makes an object that is there already right, in place; the others' part of it stays. `isOthers`: another server, which shares the
 * state, has written it since this one did. Where the two may disagree, what that one wants stays, or they would go on for ever.
 */
export type Amend = (current: KubeObject, isOthers: boolean) => void;

const serverUser = "system:apiserver";

interface ObjectKeeperOptions {
  readonly store: Pick<Store, "freshen" | "history">;
  readonly registry: GenericRegistry;
  readonly served: Pick<ServedResources, "byKind">;
  readonly random: RandomSource;
}

export class ObjectKeeper {
  readonly #options: ObjectKeeperOptions;
  /** The versions that are as this server wants them, by the objects' keys. */
  readonly #right = new Map<string, Revision>();

  constructor(options: ObjectKeeperOptions) {
    this.#options = options;
  }

  /** `wanted` has apiVersion, kind and name, and all that is defaulted. What is right already is not written. */
  async keep(wanted: KubeObject, amend: Amend): Promise<void> {
    const { registry } = this.#options;
    const { name = "", namespace = "" } = wanted.metadata ?? {};
    const context = this.#contextFor(wanted, "update");
    const key = keyOf(context.resource, namespace, name);
    let isOthers = false;
    const outcome = await registry.update(context, name, {
      part: "main",
      dryRun: false,
      next: async (current) => {
        const next = cloneJson(current as KubeObject);
        isOthers = await this.#isOthers(key, current);
        amend(next, isOthers);
        return next;
      },
      whenAbsent: () =>
        registry.create(this.#contextFor(wanted, "create"), cloneJson({ ...wanted, metadata: { ...wanted.metadata, namespace } }), false),
    });
    // What another server wants is not what this one has found right: it stays that one's.
    if (outcome.kind === "entry" && !isOthers) this.noteRight(outcome.entry);
  }

  /** An object that needs no change. */
  noteRight({ key, modified }: Pick<Entry, "key" | "modified">): void {
    this.#right.set(key, modified);
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

  async #isOthers(key: string, { metadata }: Readonly<KubeObject>): Promise<boolean> {
    const { store } = this.#options;
    const right = this.#right.get(key);
    const version = Number(metadata?.resourceVersion);
    if (store.freshen === undefined || right === undefined || right === version) return false;
    const [last] = await store.history(key, { last: 1 });
    return last?.revision === version && last.note?.user === serverUser;
  }

  #contextFor({ apiVersion = "", kind = "", metadata }: Readonly<KubeObject>, verb: SystemRequest["verb"]): RequestContext {
    const { served, random } = this.#options;
    const { group, version } = parseApiVersion(apiVersion) ?? { group: "", version: "" };
    const resource = served.byKind(group, version, kind);
    if (resource === undefined) throw new Error(`the registry lacks ${apiVersion} ${kind}`);
    const { name = "", namespace = "" } = metadata ?? {};
    return systemContext(random, resource, { component: "kube-apiserver", user: serverUser, verb, namespace, name });
  }
}

const deletion: DeleteOptions = {
  dryRun: false,
  gracePeriodSeconds: undefined,
  propagationPolicy: undefined,
  cascades: false,
  preconditions: {},
};
