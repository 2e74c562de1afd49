import type { Subresources } from "../../../strategy/strategy.ts";
import type { CronJob } from "../../../types/batch-v1.ts";

export const cronJobSubresources: Subresources<CronJob> = {
  status: { metadataPasses: [] },
};
