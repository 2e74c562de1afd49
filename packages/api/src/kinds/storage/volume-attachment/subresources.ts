import type { Subresources } from "../../../strategy/strategy.ts";
import type { VolumeAttachment } from "../../../types/storage-v1.ts";

export const volumeAttachmentSubresources: Subresources<VolumeAttachment> = {
  status: {
    resetFields: [["metadata"]],
  },
};
