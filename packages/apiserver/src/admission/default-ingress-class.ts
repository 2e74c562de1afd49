/** An Ingress without a class gets the default one. @see https://kubernetes.io/docs/concepts/services-networking/ingress/#default-ingress-class */
import type { networkingV1 } from "@coxswain/api";
import type { AdmissionPlugin } from "./admission.ts";
import { newestDefault } from "./newest-default.ts";
import { listClusterObjects } from "./object-reader.ts";

const ingressClasses = { group: "networking.k8s.io", version: "v1", resource: "ingressclasses" };
const mark = "ingressclass.kubernetes.io/is-default-class";
/** With which an Ingress named its class before there was a field for it. */
const classAnnotation = "kubernetes.io/ingress.class";

export const defaultIngressClass: AdmissionPlugin = {
  name: "DefaultIngressClass",
  handles: ({ operation, resource, subresource }) =>
    operation === "create" &&
    subresource === "" &&
    resource.definition.group === "networking.k8s.io" &&
    resource.definition.kind === "Ingress",
  async mutate({ server, object }) {
    const ingress = object as networkingV1.Ingress;
    if (ingress.spec?.ingressClassName !== undefined || ingress.metadata?.annotations?.[classAnnotation] !== undefined) return;
    const name = newestDefault(await listClusterObjects(server, ingressClasses), [mark])?.metadata?.name;
    if (name !== undefined) ingress.spec = { ...ingress.spec, ingressClassName: name };
  },
};
