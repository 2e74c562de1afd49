import type { CronJob } from "@coxswain/types/batch-v1";
import type { Subresources } from "../../../strategy/strategy.ts";

export const cronJobSubresources: Subresources<CronJob> = {
  status: { metadataPasses: [] },
};
