/** Nothing is made in a Namespace that is not there or is going, and those that every cluster has stay. */
import { forbidden, notFound, StatusError } from "@coxswain/machinery";
import type { Compare } from "@coxswain/store";
import type { AdmissionPluginFactory, AdmissionRequest } from "../contracts/admission.ts";
import type { ObjectReader } from "../storage/object-reader.ts";
import { refused } from "./refused.ts";

type NamespaceReader = Pick<ObjectReader, "store" | "cache">;

const immortal = new Set(["default", "kube-system", "kube-public"]);
const namespaces = { group: "", resource: "namespaces" };

export const namespaceLifecycle: AdmissionPluginFactory<NamespaceReader> = {
  name: "NamespaceLifecycle",
  create: (reader) => ({
    handles: ({ operation, resource, namespace }) =>
      (operation === "create" && namespace !== "") || (operation === "delete" && resource.definition.kind === "Namespace"),
    async mutate(request) {
      if (!isNewContent(request) || request.reinvocation?.round === 1) return;
      const namespace = await activeNamespace(reader, request);
      request.compares?.push(namespace);
    },
    async compare(request) {
      return isNewContent(request) ? activeNamespace(reader, request) : undefined;
    },
    validate({ operation, resource, name }) {
      if (operation === "delete" && resource.definition.group === "" && immortal.has(name))
        throw forbidden(namespaces, name, "this namespace may not be deleted");
    },
  }),
};

const isNewContent = ({ operation, resource: { definition } }: AdmissionRequest): boolean =>
  operation === "create" && definition.namespaced && definition.kind !== "LocalSubjectAccessReview";

/** The namespace in the state in which new content is for it. @throws notFound(), forbidden() */
async function activeNamespace({ store, cache }: NamespaceReader, request: AdmissionRequest): Promise<Compare> {
  const { namespace } = request;
  const { entry } = await store.get(`/registry/namespaces/${namespace}`);
  if (entry === undefined) throw notFound(namespaces, namespace);
  if (cache.objectOf(entry).metadata?.deletionTimestamp !== undefined) throw terminating(request);
  return { key: entry.key, modified: entry.modified };
}

function terminating(request: AdmissionRequest): StatusError {
  const { namespace } = request;
  const error = refused(request, `unable to create new content in namespace ${namespace} because it is being terminated`);
  const causes = [{ reason: "NamespaceTerminating", message: `namespace ${namespace} is being terminated`, field: "metadata.namespace" }];
  return new StatusError({ ...error.status, details: { ...error.status.details, causes } });
}
