/** Objects that the API server itself keeps: made where they are missing, put right where they are not as they should be. */
import { type KubeObject, parseApiVersion } from "@coxswain/machinery";
import type { RequestContext, ServerContext } from "../context.ts";
import { createObject } from "../registry/create.ts";
import { deleteObject } from "../registry/delete.ts";
import { type SystemRequest, systemContext } from "../registry/system-context.ts";
import { updateObject } from "../registry/update.ts";
import type { DeleteOptions } from "../request/options.ts";
import { cloneJson } from "../storage/clone-json.ts";

/** What makes an object that is there already right, in place; the others' part of it stays. */
export type Amend = (current: KubeObject) => void;

/** `wanted` has apiVersion, kind and name, and all that is defaulted. What is right already is not written. */
export async function keepObject(server: ServerContext, wanted: KubeObject, amend: Amend): Promise<void> {
  const { name = "", namespace = "" } = wanted.metadata ?? {};
  await updateObject(contextFor(server, wanted, "update"), name, {
    part: "main",
    dryRun: false,
    next: (current) => {
      const next = cloneJson(current as KubeObject);
      amend(next);
      return next;
    },
    whenAbsent: () =>
      createObject(contextFor(server, wanted, "create"), cloneJson({ ...wanted, metadata: { ...wanted.metadata, namespace } }), false),
  });
}

/** The object that `about` names by its apiVersion, kind and metadata. @throws notFound() */
export async function removeObject(server: ServerContext, about: Readonly<KubeObject>): Promise<void> {
  const { name = "", namespace = "" } = about.metadata ?? {};
  await deleteObject(contextFor(server, about, "delete"), namespace, name, deletion);
}

const deletion: DeleteOptions = {
  dryRun: false,
  gracePeriodSeconds: undefined,
  propagationPolicy: undefined,
  cascades: false,
  preconditions: {},
};

function contextFor(
  server: ServerContext,
  { apiVersion = "", kind = "", metadata }: Readonly<KubeObject>,
  verb: SystemRequest["verb"],
): RequestContext {
  const { group, version } = parseApiVersion(apiVersion) ?? { group: "", version: "" };
  const definition = server.registry.byKind(group, version, kind);
  if (definition === undefined) throw new Error(`the registry lacks ${apiVersion} ${kind}`);
  const { name = "", namespace = "" } = metadata ?? {};
  const user = "system:apiserver";
  return systemContext(server, server.served.of(definition), { component: "kube-apiserver", user, verb, namespace, name });
}
