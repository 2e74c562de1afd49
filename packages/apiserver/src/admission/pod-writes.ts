/** Which requests write Pods themselves. */
import type { AdmissionRequest } from "../contracts/admission.ts";

const isPod = ({ resource: { definition }, subresource }: AdmissionRequest): boolean =>
  subresource === "" && definition.resource === "pods" && definition.group === "";

export const isPodCreate = (request: AdmissionRequest): boolean => request.operation === "create" && isPod(request);

export const isPodWrite = (request: AdmissionRequest): boolean =>
  (request.operation === "create" || request.operation === "update") && isPod(request);
