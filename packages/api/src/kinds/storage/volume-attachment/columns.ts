import type { VolumeAttachment } from "@coxswain/types/storage-v1";
import { ageColumn, defineColumns, nameColumn } from "../../../table/columns.ts";

export const volumeAttachmentColumns = defineColumns<VolumeAttachment>([
  nameColumn,
  {
    name: "Attacher",
    type: "string",
    format: "name",
    description: "The driver that attaches the volume.",
    value: ({ spec }) => spec?.attacher ?? "",
  },
  { name: "PV", type: "string", description: "The volume.", value: ({ spec }) => spec?.source?.persistentVolumeName ?? "" },
  { name: "Node", type: "string", description: "The Node it belongs to.", value: ({ spec }) => spec?.nodeName ?? "" },
  { name: "Attached", type: "boolean", description: "Whether it is attached.", value: ({ status }) => status?.attached ?? false },
  ageColumn,
]);
