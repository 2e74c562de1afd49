import type { BuiltInController } from "../contracts/built-in-controller.ts";
import { keepQuotas } from "./keep-quotas.ts";

/** Says in the status of every quota how much of it is used. */
export const resourceQuotaController: BuiltInController = {
  name: "resourcequota-controller",
  aliases: ["resourcequota"],
  make: () => [{ name: "resourcequota-controller", run: keepQuotas }],
};
