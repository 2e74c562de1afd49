/**
 * Services get no new external addresses, with which they could take others' traffic.
 * @see https://kubernetes.io/docs/reference/access-authn-authz/admission-controllers/#denyserviceexternalips
 */
import type { coreV1 } from "@coxswain/api";
import type { AdmissionPluginFactory } from "../contracts/admission.ts";
import { refused } from "./refused.ts";

export const denyServiceExternalIps: AdmissionPluginFactory = {
  name: "DenyServiceExternalIPs",
  offByDefault: true,
  create: () => ({
    handles: ({ operation, resource: { definition }, subresource }) =>
      (operation === "create" || operation === "update") &&
      subresource === "" &&
      definition.group === "" &&
      definition.resource === "services",
    validate(request) {
      const before = new Set(externalIpsOf(request.previous));
      if (externalIpsOf(request.object).every((ip) => before.has(ip))) return;
      throw refused(request, "Use of external IPs is denied by admission control");
    },
  }),
};

const externalIpsOf = (service: unknown): readonly string[] => (service as coreV1.Service | undefined)?.spec?.externalIPs ?? [];
