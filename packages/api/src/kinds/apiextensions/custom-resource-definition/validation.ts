import { ruleChecks } from "@coxswain/schema";
import type { CustomResourceDefinition } from "@coxswain/types/apiextensions-v1";
import type { Errors } from "../../../validation/checks.ts";
import { validateApproval } from "./api-approval.ts";
import { validateNames } from "./names.ts";
import { validatePreserveUnknown } from "./preserve-unknown.ts";
import { validateSpec } from "./spec.ts";
import { validateStoredVersions } from "./versions.ts";

type Definition = Readonly<CustomResourceDefinition>;

/** All rules but the one about the name. With `prev`, what was there before and has become wrong since is tolerated. */
export function validateDefinition(out: Errors, crd: Definition, prev?: Definition): void {
  if (crd.spec !== undefined) validateSpec(out, crd.spec, ruleChecks(), prev);
  validateNames(out, "status.acceptedNames", crd.status?.acceptedNames ?? { plural: "", kind: "" });
  validateStoredVersions(out, crd);
  out.push(...validateApproval(crd, prev));
  validatePreserveUnknown(out, crd, prev);
}
