import { lazyModule } from "../../dynamic/lazy-module.ts";

/** The checker of policies' expressions against types. @throws Error before `loadDynamic` has settled */
export const policyTypes = lazyModule(() => import("./check-policy-types.ts"));
