/** What `kubectl get hpa` shows. */
import { ageCell } from "../../../strategy/age.ts";
import type { Cell } from "../../../strategy/strategy.ts";
import type { HorizontalPodAutoscaler, MetricSpec, MetricStatus, MetricTarget, MetricValueStatus } from "../../../types/autoscaling-v2.ts";

const shown = 2;

export const autoscalerCells = ({ metadata, spec, status }: Readonly<HorizontalPodAutoscaler>, now: number): Cell[] => [
  metadata?.name ?? "",
  `${spec?.scaleTargetRef?.kind ?? ""}/${spec?.scaleTargetRef?.name ?? ""}`,
  metricsCell(spec?.metrics ?? [], status?.currentMetrics ?? []),
  spec?.minReplicas === undefined ? "<unset>" : String(spec.minReplicas),
  spec?.maxReplicas ?? 0,
  status?.currentReplicas ?? 0,
  ageCell(metadata?.creationTimestamp, now),
];

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
