/** The objects of a request in the version in which a webhook or a policy sees them. */
import type { KubeObject } from "@coxswain/machinery";
import type { AdmissionResource } from "../../contracts/admission.ts";
import type { ServedResources } from "../../contracts/served-resource.ts";
import { convertedTo } from "../../storage/versions.ts";
import { kindOf } from "./attributes.ts";

/** From which resource to which equivalent one. */
export interface VersionChange {
  readonly from: AdmissionResource;
  readonly to: AdmissionResource;
  readonly subresource: string;
}

/**
 * `object` of a request on one resource as the other has it. A converted one is new, the same one is not. @throws the Status of
 * the failure when a webhook converts
 */
export async function inVersion<T extends Readonly<KubeObject> | undefined>(
  served: Pick<ServedResources, "of">,
  object: T,
  { from, to, subresource }: VersionChange,
): Promise<T> {
  if (object === undefined || from.definition === to.definition || !hasOwnKind(from, subresource)) return object;
  return (await convertedTo(object, served.of(from.definition), served.of(to.definition))) as T;
}

/** A Scale, an Eviction and the like are the same whatever the version of what they belong to. */
const hasOwnKind = (resource: AdmissionResource, subresource: string): boolean =>
  kindOf(resource, subresource).kind === resource.definition.kind;
