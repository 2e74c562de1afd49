/** Refuses every write, for tests of what happens then. */
import type { AdmissionPluginFactory, AdmissionRequest } from "../contracts/admission.ts";
import { refused } from "./refused.ts";

export const alwaysDeny: AdmissionPluginFactory = {
  name: "AlwaysDeny",
  offByDefault: true,
  create: () => ({ handles: () => true, mutate: deny, validate: deny }),
};

function deny(request: AdmissionRequest): never {
  throw refused(request, "admission control is denying all modifications");
}
