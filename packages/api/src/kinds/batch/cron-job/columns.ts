import type { CronJob } from "@coxswain/types/batch-v1";
import { ageCell } from "../../../table/age.ts";
import { ageColumn, defineColumns, nameColumn } from "../../../table/columns.ts";
import { containerImages, containerNames } from "../../../table/container-cells.ts";
import { formatSelector } from "../../../validation/label-selector.ts";

export const cronJobColumns = defineColumns<CronJob>([
  nameColumn,
  { name: "Schedule", type: "string", description: "When Jobs start, as cron writes it.", value: ({ spec }) => spec?.schedule ?? "" },
  { name: "Timezone", type: "string", description: "The time zone of the schedule.", value: ({ spec }) => spec?.timeZone ?? "<none>" },
  {
    name: "Suspend",
    type: "boolean",
    description: "Whether no further Jobs start.",
    value: ({ spec }) => (spec?.suspend === undefined ? "<unset>" : spec.suspend ? "True" : "False"),
  },
  { name: "Active", type: "integer", description: "How many Jobs are running.", value: ({ status }) => status?.active?.length ?? 0 },
  {
    name: "Last Schedule",
    type: "string",
    description: "How long ago a Job was last started.",
    value: ({ status }, now) => (status?.lastScheduleTime ? ageCell(status.lastScheduleTime, now) : "<none>"),
  },
  ageColumn,
  {
    name: "Containers",
    type: "string",
    priority: 1,
    description: "Names of the containers in the Pod template.",
    value: ({ spec }) => containerNames(spec?.jobTemplate?.spec?.template),
  },
  {
    name: "Images",
    type: "string",
    priority: 1,
    description: "Images of the containers in the Pod template.",
    value: ({ spec }) => containerImages(spec?.jobTemplate?.spec?.template),
  },
  {
    name: "Selector",
    type: "string",
    priority: 1,
    description: "Labels that select what belongs to it.",
    value: ({ spec }) => formatSelector(spec?.jobTemplate?.spec?.selector),
  },
]);
