/** Nothing is written in a Namespace that is not there. NamespaceLifecycle does that for what is new, and more. */
import type { AdmissionPluginFactory } from "../contracts/admission.ts";
import type { ObjectReader } from "../storage/object-reader.ts";
import { isInNamespace, namespaceOf } from "./namespace-of-request.ts";

export const namespaceExists: AdmissionPluginFactory<ObjectReader> = {
  name: "NamespaceExists",
  offByDefault: true,
  create: (reader) => ({
    handles: (request) => request.operation !== "connect" && isInNamespace(request),
    async validate({ namespace }) {
      await namespaceOf(reader, namespace);
    },
  }),
};
