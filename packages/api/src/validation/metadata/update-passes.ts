import type { MetadataPass, Strategy } from "../../strategy/strategy.ts";

const changes: readonly MetadataPass[] = ["changes"];

/**
 * How the rules of a kind check the metadata of an object that replaces another, in their order.
 * @param part as of the write: `main`, `status`, or another subresource; a `free` one has no rules of the kind
 */
export function metaPassesOf({ metadataPasses, subresources }: Strategy, part: string): readonly MetadataPass[] {
  if (part === "free") return changes;
  return (part === "status" ? subresources?.status?.metadataPasses : metadataPasses) ?? changes;
}
