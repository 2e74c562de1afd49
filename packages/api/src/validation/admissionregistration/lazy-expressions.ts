import { lazyModule } from "../../dynamic/lazy-module.ts";

/** The compiler of policies' expressions. @throws Error before `loadDynamic` has settled */
export const expressions = lazyModule(() => import("./expressions.ts"));
