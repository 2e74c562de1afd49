import type { ResolveHookSync } from "node:module";

export const resolve: ResolveHookSync;
