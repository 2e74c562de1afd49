import type { CustomResourceDefinition } from "@coxswain/types/apiextensions-v1";
import type { Subresources } from "../../../strategy/strategy.ts";
import type { Errors } from "../../../validation/checks.ts";
import { validateNames } from "./names.ts";

export const customResourceDefinitionSubresources: Subresources<CustomResourceDefinition> = {
  status: {
    validateUpdate: ({ status }) => {
      const out: Errors = [];
      validateNames(out, "status.acceptedNames", status?.acceptedNames ?? { plural: "", kind: "" });
      return out;
    },
  },
};
