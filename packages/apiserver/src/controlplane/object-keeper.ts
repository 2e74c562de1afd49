/** Objects that the API server itself keeps: made where they are missing, put right where they are not as they should be. */
import { isNotFound, type KubeObject, parseApiVersion } from "@coxswain/machinery";
import type { RequestContext, ServerContext } from "../context.ts";
import { createObject } from "../registry/create.ts";
import { deleteObject } from "../registry/delete.ts";
import { type SystemRequest, systemContext } from "../registry/system-context.ts";
import { updateObject } from "../registry/update.ts";
import type { DeleteOptions } from "../request/options.ts";
import { cloneJson } from "../storage/clone-json.ts";

/** What makes an object that is there already right, in place; the others' part of it stays. */
export type Amend = (current: KubeObject) => void;

export class ObjectKeeper {
  readonly #server: ServerContext;

  constructor(server: ServerContext) {
    this.#server = server;
  }

  /** `wanted` has apiVersion, kind and name, and all that is defaulted. What is right already is not written. */
  async keep(wanted: KubeObject, amend: Amend): Promise<void> {
    const { name = "", namespace = "" } = wanted.metadata ?? {};
    await updateObject(this.#contextFor(wanted, "update"), name, {
      part: "main",
      dryRun: false,
      next: (current) => {
        const next = cloneJson(current as KubeObject);
        amend(next);
        return next;
      },
      whenAbsent: () =>
        createObject(this.#contextFor(wanted, "create"), cloneJson({ ...wanted, metadata: { ...wanted.metadata, namespace } }), false),
    });
  }

  /** The object that `about` names by its apiVersion, kind and metadata, unless it is gone already. */
  async remove(about: Readonly<KubeObject>): Promise<void> {
    const { name = "", namespace = "" } = about.metadata ?? {};
    try {
      await deleteObject(this.#contextFor(about, "delete"), namespace, name, deletion);
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }

  #contextFor({ apiVersion = "", kind = "", metadata }: Readonly<KubeObject>, verb: SystemRequest["verb"]): RequestContext {
    const { registry, served } = this.#server;
    const { group, version } = parseApiVersion(apiVersion) ?? { group: "", version: "" };
    const definition = registry.byKind(group, version, kind);
    if (definition === undefined) throw new Error(`the registry lacks ${apiVersion} ${kind}`);
    const { name = "", namespace = "" } = metadata ?? {};
    const user = "system:apiserver";
    return systemContext(this.#server, served.of(definition), { component: "kube-apiserver", user, verb, namespace, name });
  }
}

const deletion: DeleteOptions = {
  dryRun: false,
  gracePeriodSeconds: undefined,
  propagationPolicy: undefined,
  cascades: false,
  preconditions: {},
};
