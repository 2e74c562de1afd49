import type { Job } from "@coxswain/types/batch-v1";
import type { Subresources } from "../../../strategy/strategy.ts";
import { validateJobStatusUpdate } from "./status-validation.ts";

export const jobSubresources: Subresources<Job> = {
  status: {
    validateUpdate: validateJobStatusUpdate,
  },
};
