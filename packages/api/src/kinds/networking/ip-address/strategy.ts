import { field, validateDns1123Subdomain, validateIp, validatePathSegmentName } from "@coxswain/machinery";
import type { IPAddress, ParentReference } from "@coxswain/types/networking-v1";
import { defineKind } from "../../../strategy/strategy.ts";
import { addInvalid, type Errors, immutableAs } from "../../../validation/checks.ts";
import { ipAddressColumns } from "./columns.ts";

const immutableParentReference = immutableAs("ParentReference");

/** An address that is allocated, and the object that has it: the name is the address. */
export const ipAddress = defineKind<IPAddress>({
  type: "io.k8s.api.networking.v1.IPAddress",
  metadataPasses: ["whole", "changes"],
  name: "pathSegment",
  generation: "never",
  validate: ({ metadata, spec }) => {
    const out: Errors = [];
    const name = metadata?.name ?? "";
    if (name !== "") addInvalid(out, "metadata.name", name, validateIp(name));
    validateParent(out, "spec.parentRef", spec?.parentRef);
    return out;
  },
  validateUpdate: (next, prev) => {
    const out: Errors = [];
    immutableParentReference(out, "spec.parentRef", next.spec?.parentRef, prev.spec?.parentRef);
    return out;
  },
  /** One cell more than there are columns: clients skip it, and Kubernetes sends it too. */
  columns: ipAddressColumns,
});

function validateParent(out: Errors, path: string, parent: Readonly<ParentReference> | undefined): void {
  if (!parent) {
    out.push(field.required(path));
    return;
  }
  const { group, resource, namespace, name } = parent;
  if (group) addInvalid(out, `${path}.group`, group, validateDns1123Subdomain(group));
  for (const [part, value] of Object.entries({ resource, name })) {
    if (!value) out.push(field.required(`${path}.${part}`));
    else addInvalid(out, `${path}.${part}`, value, validatePathSegmentName(value));
  }
  if (namespace) addInvalid(out, `${path}.namespace`, namespace, validatePathSegmentName(namespace));
}
