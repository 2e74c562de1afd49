import { field } from "@coxswain/machinery";
import type { Ingress } from "@coxswain/types/networking-v1";
import { defineKind } from "../../../strategy/strategy.ts";
import { ipWarnings } from "../../../validation/address-warnings.ts";
import { ingressColumns } from "./columns.ts";
import { ingressSubresources } from "./subresources.ts";
import { validateIngressSpec } from "./validation.ts";

const classAnnotation = "kubernetes.io/ingress.class";

/** @see https://kubernetes.io/docs/concepts/services-networking/ingress/ */
export const ingress = defineKind<Ingress>({
  type: "io.k8s.api.networking.v1.Ingress",
  metadataPasses: ["changes", "whole"],
  prepareForCreate(obj) {
    obj.status = { loadBalancer: {} };
  },
  validate: ({ spec = {} }) => validateIngressSpec(spec),
  validateCreate: ({ metadata, spec }) => {
    const old = metadata?.annotations?.[classAnnotation];
    if (old === undefined || spec?.ingressClassName === undefined || old === spec.ingressClassName) return [];
    return [field.invalid(`annotations.${classAnnotation}`, old, "must match `ingressClassName` when both are specified")];
  },
  subresources: ingressSubresources,
  warnings,
  columns: ingressColumns,
});

function* warnings({ metadata, spec, status }: Readonly<Ingress>, prev: Readonly<Ingress> | undefined): Generator<string> {
  if (prev === undefined && metadata?.annotations?.[classAnnotation] !== undefined && spec?.ingressClassName === undefined) {
    yield `annotation "${classAnnotation}" is deprecated, please use 'spec.ingressClassName' instead`;
  }
  for (const [i, { ip }] of (status?.loadBalancer?.ingress ?? []).entries()) {
    if (ip) yield* ipWarnings(`status.loadBalancer.ingress[${i}]`, ip);
  }
}
