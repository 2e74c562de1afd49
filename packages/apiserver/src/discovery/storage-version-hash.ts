import { createHash } from "node:crypto";
import type { ResourceDefinition } from "@coxswain/api";

/**
 * Names the form in which a resource's objects are stored, so that clients see when it changes: the first eight bytes of
 * the SHA-256 of `group/version/kind`, in base64. Undefined for what is never stored.
 */
export function storageVersionHash({ storagePrefix, storageGroup, group, storageVersion, kind }: ResourceDefinition): string | undefined {
  if (storagePrefix === undefined) return undefined;
  const form = `${storageGroup ?? group}/${storageVersion}/${kind}`;
  return createHash("sha256").update(form).digest().subarray(0, 8).toString("base64");
}
