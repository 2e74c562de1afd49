/**
 * A Namespace in which something is made is made itself where it is missing.
 * @see https://kubernetes.io/docs/reference/access-authn-authz/admission-controllers/#namespaceautoprovision
 */
import { isAlreadyExists, type KubeObject, messageOf } from "@coxswain/machinery";
import type { AdmissionPluginFactory } from "../contracts/admission.ts";
import { type ObjectReader, readObject } from "../storage/object-reader.ts";
import { isInNamespace, namespaces } from "./namespace-of-request.ts";
import { refused } from "./refused.ts";

export interface ProvisionServices extends ObjectReader {
  /** As the server itself. */
  readonly createNamespace: (namespace: KubeObject) => Promise<unknown>;
}

export const namespaceAutoProvision: AdmissionPluginFactory<ProvisionServices> = {
  name: "NamespaceAutoProvision",
  offByDefault: true,
  create: ({ createNamespace, ...reader }) => ({
    handles: (request) => request.operation === "create" && !request.dryRun && isInNamespace(request),
    async mutate(request) {
      const { namespace: name } = request;
      if ((await readObject(reader, namespaces, "", name)) !== undefined) return;
      try {
        await createNamespace({ apiVersion: "v1", kind: "Namespace", metadata: { name, labels: { "kubernetes.io/metadata.name": name } } });
      } catch (error) {
        if (!isAlreadyExists(error)) throw refused(request, messageOf(error));
      }
    },
  }),
};
