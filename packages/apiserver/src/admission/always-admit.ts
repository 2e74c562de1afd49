/** Has no say: it is there because clusters still name it. */
import type { AdmissionPluginFactory } from "../contracts/admission.ts";

export const alwaysAdmit: AdmissionPluginFactory = {
  name: "AlwaysAdmit",
  offByDefault: true,
  create: () => ({ handles: () => false }),
};
