import type { ComponentStatus } from "@coxswain/types/core-v1";
import { defineKind } from "../../../strategy/strategy.ts";
import { componentStatusColumns } from "./columns.ts";

/** Deprecated since 1.19 and never stored: health as the server asks for it. */
export const componentStatus = defineKind<ComponentStatus>({
  type: "io.k8s.api.core.v1.ComponentStatus",
  generation: "never",
  columns: componentStatusColumns,
});
