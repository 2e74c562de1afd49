import { type KubeObject, parseFieldSelector, parseLabelSelector } from "@coxswain/machinery";

export interface Scope {
  readonly namespace?: string | undefined;
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
}

/**
 * Whether an object belongs to what is watched; undefined when only the server knows: what a field selector may name,
 * and what it means by it, is the server's to say but for names and namespaces.
 * @throws badRequest() for a selector that cannot be read
 */
export function selects({ namespace, labelSelector = "", fieldSelector = "" }: Scope): (object: KubeObject) => boolean | undefined {
  const labels = parseLabelSelector(labelSelector);
  const fields = parseFieldSelector(fieldSelector);
  const canDecide = fields.requirements.every(({ field }) => field === "metadata.name" || field === "metadata.namespace");
  return ({ metadata = {} }) => {
    if (namespace !== undefined && metadata.namespace !== namespace) return false;
    if (!labels.matches(metadata.labels)) return false;
    if (!canDecide) return undefined;
    return fields.matches((field) => (field === "metadata.name" ? metadata.name : metadata.namespace));
  };
}
