import type { SchemaCheck } from "@coxswain/schema";
import { builtinTypes } from "../../../facts/builtin-types.ts";
import { validateObjectMeta } from "../../../validation/metadata/object-meta.ts";

/** What embedded resources' metadata may be: anything that some object may have, without a name too. */
export function metaRules(): SchemaCheck["meta"] {
  const metadata = builtinTypes.get("io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta");
  if (metadata === undefined) throw new Error("the built-in types lack ObjectMeta");
  return {
    metadata,
    checkMetadata: (meta) => {
      const namespaced = Boolean(meta.namespace);
      return validateObjectMeta({ metadata: { ...meta, name: meta.name || "fakename" } }, { namespaced, name: "pathSegment" });
    },
  };
}
