import type { VolumeAttachment } from "@coxswain/types/storage-v1";
import type { Subresources } from "../../../strategy/strategy.ts";

export const volumeAttachmentSubresources: Subresources<VolumeAttachment> = {
  status: {
    resetFields: [["metadata"]],
  },
};
