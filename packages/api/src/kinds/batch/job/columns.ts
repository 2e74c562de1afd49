import type { Job } from "@coxswain/types/batch-v1";
import { humanDuration } from "../../../table/age.ts";
import { ageColumn, defineColumns, nameColumn } from "../../../table/columns.ts";
import { containerImages, containerNames } from "../../../table/container-cells.ts";
import { formatSelector } from "../../../validation/label-selector.ts";
import { isTrue } from "./status-validation.ts";

export const jobColumns = defineColumns<Job>([
  nameColumn,
  { name: "Status", type: "string", description: "Whether the Job runs, is suspended, or how it ended.", value: (obj) => state(obj) },
  { name: "Completions", type: "string", description: "Pods that succeeded, of those wanted.", value: (obj) => completions(obj) },
  { name: "Duration", type: "string", description: "How long it took, or has been running.", value: (obj, now) => duration(obj, now) },
  ageColumn,
  {
    name: "Containers",
    type: "string",
    priority: 1,
    description: "Names of the containers in the Pod template.",
    value: (obj) => containerNames(obj.spec?.template),
  },
  {
    name: "Images",
    type: "string",
    priority: 1,
    description: "Images of the containers in the Pod template.",
    value: (obj) => containerImages(obj.spec?.template),
  },
  {
    name: "Selector",
    type: "string",
    priority: 1,
    description: "Labels that select what belongs to it.",
    value: (obj) => formatSelector(obj.spec?.selector),
  },
]);

function duration({ status }: Readonly<Job>, now: number): string {
  if (!status?.startTime) return "";
  const end = status.completionTime ? Date.parse(status.completionTime) : now;
  return humanDuration(end - Date.parse(status.startTime));
}

function completions({ spec, status }: Readonly<Job>): string {
  const succeeded = status?.succeeded ?? 0;
  if (spec?.completions !== undefined) return `${succeeded}/${spec.completions}`;
  const parallelism = spec?.parallelism ?? 0;
  return parallelism > 1 ? `${succeeded}/1 of ${parallelism}` : `${succeeded}/1`;
}

function state({ metadata, status }: Readonly<Job>): string {
  if (isTrue(status, "Complete")) return "Complete";
  if (isTrue(status, "Failed")) return "Failed";
  if (metadata?.deletionTimestamp !== undefined) return "Terminating";
  return ["Suspended", "FailureTarget", "SuccessCriteriaMet"].find((type) => isTrue(status, type)) ?? "Running";
}
