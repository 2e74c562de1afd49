/**
 * Schemas and expressions are loaded when something first needs them: a server that has neither custom resources nor
 * policies starts sooner and takes less memory without.
 */

import type { ResourceDefinition } from "../registry/resource-definition.ts";
import type * as DynamicParts from "./dynamic-parts.ts";

let loaded: typeof DynamicParts | undefined;

/** Whether nothing may be asked about the definition's type and strategy before `loadDynamic`. */
export const needsDynamic = ({ group, custom }: ResourceDefinition): boolean =>
  loaded === undefined && (custom !== undefined || groups.has(group));

const groups: ReadonlySet<string> = new Set(["admissionregistration.k8s.io", "apiextensions.k8s.io", "resource.k8s.io"]);

export async function loadDynamic(): Promise<void> {
  loaded ??= await import("./dynamic-parts.ts");
}

export function dynamic(): typeof DynamicParts {
  if (loaded === undefined) throw new Error("schemas and expressions are not loaded; wait for loadDynamic() first");
  return loaded;
}
