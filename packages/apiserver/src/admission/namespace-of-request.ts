/** The Namespace that a request is about something in. */
import type { coreV1 } from "@coxswain/api";
import { type KubeObject, notFound } from "@coxswain/machinery";
import type { AdmissionRequest } from "../contracts/admission.ts";
import { type ObjectReader, readObject } from "../storage/object-reader.ts";

export const namespaces = { group: "", version: "v1", resource: "namespaces" };

/** Namespaces themselves are in none, though requests about one name it. */
export const isInNamespace = ({ namespace, resource: { definition } }: AdmissionRequest): boolean =>
  namespace !== "" && !(definition.group === "" && definition.kind === "Namespace");

/** @throws notFound() */
export async function namespaceOf(reader: ObjectReader, name: string): Promise<Readonly<coreV1.Namespace & KubeObject>> {
  const namespace = await readObject<coreV1.Namespace & KubeObject>(reader, namespaces, "", name);
  if (namespace === undefined) throw notFound(namespaces, name);
  return namespace;
}
