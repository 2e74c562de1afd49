import type { NetworkPolicy } from "@coxswain/types/networking-v1";
import { defineKind } from "../../../strategy/strategy.ts";
import { cidrWarnings } from "../../../validation/address-warnings.ts";
import { networkPolicyColumns } from "./columns.ts";
import { networkPolicyValidation, rulesOf } from "./validation.ts";

/** @see https://kubernetes.io/docs/concepts/services-networking/network-policies/ */
export const networkPolicy = defineKind<NetworkPolicy>({
  type: "io.k8s.api.networking.v1.NetworkPolicy",
  defaults({ spec }) {
    if (spec === undefined) return;
    for (const rule of rulesOf(spec)) for (const port of rule.ports) port.protocol ??= "TCP";
    if (!spec.policyTypes?.length) spec.policyTypes = spec.egress?.length ? ["Ingress", "Egress"] : ["Ingress"];
  },
  ...networkPolicyValidation,
  *warnings({ spec = {} }) {
    for (const { path, peers, peersField } of rulesOf(spec)) {
      for (const [i, { ipBlock }] of peers.entries()) {
        if (ipBlock === undefined) continue;
        const at = `${path}.${peersField}[${i}].ipBlock`;
        yield* cidrWarnings(`${at}.cidr`, ipBlock.cidr);
        for (const [j, except] of (ipBlock.except ?? []).entries()) yield* cidrWarnings(`${at}.except[${j}]`, except);
      }
    }
  },
  columns: networkPolicyColumns,
});
