/** Nothing is made in a Namespace that is not there or is going, and those that every cluster has stay. */
import { forbidden, notFound, StatusError } from "@coxswain/machinery";
import type { AdmissionPlugin, AdmissionRequest } from "./admission.ts";
import { refused } from "./refused.ts";

const immortal = new Set(["default", "kube-system", "kube-public"]);
const namespaces = { group: "", resource: "namespaces" };

export const namespaceLifecycle: AdmissionPlugin = {
  name: "NamespaceLifecycle",
  handles: ({ operation, resource, namespace }) =>
    (operation === "create" && namespace !== "") || (operation === "delete" && resource.definition.kind === "Namespace"),
  async mutate(request) {
    const { server, namespace, resource, operation } = request;
    if (operation !== "create" || !resource.definition.namespaced) return;
    const { entry } = await server.store.get(`/registry/namespaces/${namespace}`);
    if (entry === undefined) throw notFound(namespaces, namespace);
    const found = server.cache.objectOf(entry);
    if (found.metadata?.deletionTimestamp !== undefined) throw terminating(request);
  },
  validate({ operation, resource, name }) {
    if (operation === "delete" && resource.definition.group === "" && immortal.has(name))
      throw forbidden(namespaces, name, "this namespace may not be deleted");
  },
};

function terminating(request: AdmissionRequest): StatusError {
  const { namespace } = request;
  const error = refused(request, `unable to create new content in namespace ${namespace} because it is being terminated`);
  const causes = [{ reason: "NamespaceTerminating", message: `namespace ${namespace} is being terminated`, field: "metadata.namespace" }];
  return new StatusError({ ...error.status, details: { ...error.status.details, causes } });
}
