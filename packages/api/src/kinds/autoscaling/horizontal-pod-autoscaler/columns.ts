/** What `kubectl get hpa` shows. */
import type { HorizontalPodAutoscaler as HorizontalPodAutoscalerV1 } from "@coxswain/types/autoscaling-v1";
import type { HorizontalPodAutoscaler, MetricSpec, MetricStatus, MetricTarget, MetricValueStatus } from "@coxswain/types/autoscaling-v2";
import { autoscalerToV2 } from "../../../conversion/autoscaler.ts";
import { ageColumn, type Column, defineColumns, defineColumnsOf, nameColumn } from "../../../table/columns.ts";

const shown = 2;

const columns: readonly Column<HorizontalPodAutoscaler>[] = [
  nameColumn,
  {
    name: "Reference",
    type: "string",
    description: "The object that is scaled.",
    value: ({ spec }) => `${spec?.scaleTargetRef?.kind ?? ""}/${spec?.scaleTargetRef?.name ?? ""}`,
  },
  {
    name: "Targets",
    type: "string",
    description: "Current and target values of the metrics.",
    value: ({ spec, status }) => metricsCell(spec?.metrics ?? [], status?.currentMetrics ?? []),
  },
  {
    name: "MinPods",
    type: "string",
    description: "The lowest number of Pods it scales to.",
    value: ({ spec }) => (spec?.minReplicas === undefined ? "<unset>" : String(spec.minReplicas)),
  },
  { name: "MaxPods", type: "string", description: "The highest number of Pods it scales to.", value: ({ spec }) => spec?.maxReplicas ?? 0 },
  { name: "Replicas", type: "string", description: "How many Pods it last observed.", value: ({ status }) => status?.currentReplicas ?? 0 },
  ageColumn,
];

export const horizontalPodAutoscalerColumns = defineColumns(columns);

/** Those of autoscaling/v1 show the autoscaling/v2 form. */
export const horizontalPodAutoscalerV1Columns = defineColumnsOf(
  (obj: Readonly<HorizontalPodAutoscalerV1>) => autoscalerToV2(obj) as HorizontalPodAutoscaler,
  columns,
);

/** The first metrics, each as current over target. */
function metricsCell(specs: readonly MetricSpec[], statuses: readonly MetricStatus[]): string {
  if (specs.length === 0) return "<none>";
  const texts = specs.slice(0, shown).map((spec, i) => metricText(spec, statuses[i]));
  return `${texts.join(", ")}${specs.length > shown ? ` + ${specs.length - shown} more...` : ""}`;
}

function metricText({ type, external, pods, object, resource, containerResource }: MetricSpec, status: MetricStatus | undefined): string {
  switch (type) {
    case "External":
      return valueText(external?.target, status?.external?.current);
    case "Object":
      return valueText(object?.target, status?.object?.current);
    case "Pods":
      return `${known(status?.pods?.current.averageValue)}/${pods?.target.averageValue ?? "<nil>"}`;
    case "Resource":
      return `${resource?.name}: ${resourceText(resource?.target, status?.resource?.current)}`;
    case "ContainerResource":
      return `${containerResource?.name}: ${resourceText(containerResource?.target, status?.containerResource?.current)}`;
    default:
      return "<unknown type>";
  }
}

function valueText(target: MetricTarget | undefined, current: MetricValueStatus | undefined): string {
  if (target?.averageValue !== undefined) return `${known(current?.averageValue)}/${target.averageValue} (avg)`;
  return `${known(current?.value)}/${target?.value ?? "<nil>"}`;
}

function resourceText(target: MetricTarget | undefined, current: MetricValueStatus | undefined): string {
  if (target?.averageValue !== undefined) return `${known(current?.averageValue)}/${target.averageValue}`;
  const aim = target?.averageUtilization === undefined ? "<auto>" : `${target.averageUtilization}%`;
  return `${current?.averageUtilization === undefined ? "<unknown>" : `${current.averageUtilization}%`}/${aim}`;
}

const known = (value: string | undefined): string => value ?? "<unknown>";
