import { defineKind } from "../../../strategy/strategy.ts";
import type { ComponentStatus } from "../../../types/core-v1.ts";
import { componentStatusColumns } from "./columns.ts";

/** Deprecated since 1.19 and never stored: health as the server asks for it. */
export const componentStatus = defineKind<ComponentStatus>({
  type: "io.k8s.api.core.v1.ComponentStatus",
  generation: "never",
  columns: componentStatusColumns,
});
