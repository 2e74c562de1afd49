/** What a delete demands of the object that it is meant for. */
import { conflict, type KubeObject, type StatusError } from "@coxswain/machinery";
import type { ServedResource } from "../contracts/served-resource.ts";
import type { DeleteOptions } from "../request/options.ts";
import { staleWrite } from "./stale-write.ts";

/** @throws the 409 of a failed precondition */
export function checkPreconditions(
  resource: ServedResource,
  name: string,
  current: Readonly<KubeObject>,
  { preconditions: { uid, resourceVersion } }: Pick<DeleteOptions, "preconditions">,
): void {
  const meta = current.metadata ?? {};
  const { group, kind } = resource.definition;
  const refuse = group === "" && kind === "Namespace" ? refusedNamespace : refused;
  const found = { resource, found: current };
  if (uid !== undefined && uid !== meta.uid)
    throw staleWrite(refuse(resource, name, { what: "UID", asked: uid, actual: meta.uid }), { ...found, names: "uid" });
  if (resourceVersion !== undefined && resourceVersion !== meta.resourceVersion) {
    const error = refuse(resource, name, { what: "ResourceVersion", asked: resourceVersion, actual: meta.resourceVersion });
    throw staleWrite(error, { ...found, names: "version", readAt: resourceVersion, intended: "delete" });
  }
}

const suspicions = { UID: "The object might have been deleted and then recreated", ResourceVersion: "The object might have been modified" };

interface Unmet {
  readonly what: keyof typeof suspicions;
  readonly asked: string;
  readonly actual: string | undefined;
}

type Refusal = (resource: ServedResource, name: string, unmet: Unmet) => StatusError;

/** It names the Kind where other conflicts name the resource. */
const refused: Refusal = ({ storage: { definition } }, name, { what, asked, actual }) => {
  const why = `the ${what} in the precondition (${asked}) does not match the ${what} in record (${actual})`;
  return conflict({ group: definition.group, resource: definition.kind }, name, `${why}. ${suspicions[what]}`);
};

/** Namespaces have a deletion of their own, with texts of its own. */
const refusedNamespace: Refusal = ({ groupResource }, name, { what, asked, actual }) =>
  conflict(groupResource, name, `Precondition failed: ${what} in precondition: ${asked}, ${what} in object meta: ${actual}`);
