/** An Ingress without a class gets the default one. @see https://kubernetes.io/docs/concepts/services-networking/ingress/#default-ingress-class */
import type { networkingV1 } from "@coxswain/api";
import type { AdmissionPluginFactory } from "../contracts/admission.ts";
import { listObjects, type ObjectReader } from "../storage/object-reader.ts";
import { newestDefault } from "./newest-default.ts";

const ingressClasses = { group: "networking.k8s.io", version: "v1", resource: "ingressclasses" };
const mark = "ingressclass.kubernetes.io/is-default-class";
/** With which an Ingress named its class before there was a field for it. */
const classAnnotation = "kubernetes.io/ingress.class";

export const defaultIngressClass: AdmissionPluginFactory<ObjectReader> = {
  name: "DefaultIngressClass",
  create: (reader) => ({
    handles: ({ operation, resource, subresource }) =>
      operation === "create" &&
      subresource === "" &&
      resource.definition.group === "networking.k8s.io" &&
      resource.definition.kind === "Ingress",
    async mutate({ object }) {
      const ingress = object as networkingV1.Ingress;
      if (ingress.spec?.ingressClassName !== undefined || ingress.metadata?.annotations?.[classAnnotation] !== undefined) return;
      const name = newestDefault(await listObjects(reader, ingressClasses), [mark])?.metadata?.name;
      if (name !== undefined) ingress.spec = { ...ingress.spec, ingressClassName: name };
    },
  }),
};
