/** The priority classes of the system's own Pods stay. */
import { systemPriorities } from "@coxswain/api";
import { forbidden } from "@coxswain/machinery";
import type { AdmissionPluginFactory } from "../contracts/admission.ts";

export const systemPriority: AdmissionPluginFactory = {
  name: "SystemPriority",
  create: () => ({
    handles: ({ operation, resource }) => operation === "delete" && resource.definition.kind === "PriorityClass",
    validate({ resource, name }) {
      if (Object.hasOwn(systemPriorities, name))
        throw forbidden(resource.groupResource, name, "this is a system priority class and cannot be deleted");
    },
  }),
};
