import type { Subresources } from "../../../strategy/strategy.ts";
import type { Job } from "../../../types/batch-v1.ts";
import { validateJobStatusUpdate } from "./status-validation.ts";

export const jobSubresources: Subresources<Job> = {
  status: {
    validateUpdate: validateJobStatusUpdate,
  },
};
