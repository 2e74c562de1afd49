import type { VolumeAttachment } from "@coxswain/types/storage-v1";
import { roundAmounts } from "../../../pod-spec/default-resources.ts";
import { defineKind } from "../../../strategy/strategy.ts";
import { defaultVolumeSource } from "../../../validation/persistent-volume/defaults-and-warnings.ts";
import { volumeAttachmentColumns } from "./columns.ts";
import { volumeAttachmentSubresources } from "./subresources.ts";
import { volumeAttachmentValidation } from "./validation.ts";

/** That a volume should be attached to a Node; the attacher reports in the status. */
export const volumeAttachment = defineKind<VolumeAttachment>({
  type: "io.k8s.api.storage.v1.VolumeAttachment",
  metadataPasses: ["whole"],
  subresources: volumeAttachmentSubresources,
  allowUnconditionalUpdate: false,
  returnDeletedObject: true,
  generation: "never",
  defaults({ spec }) {
    const inline = spec?.source?.inlineVolumeSpec;
    if (inline === undefined) return;
    roundAmounts(inline.capacity);
    defaultVolumeSource(inline);
  },
  prepareForCreate(obj) {
    obj.status = { attached: false };
  },
  ...volumeAttachmentValidation,
  columns: volumeAttachmentColumns,
});
