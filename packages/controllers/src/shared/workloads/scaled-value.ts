/**
 * A count as it is, or a percentage such as `25%` of the whole: apimachinery's `intstr.GetScaledValueFromIntOrPercent`. The
 * share is rounded with `round`.
 */
export function scaledValue(value: number | string, whole: number, round: (share: number) => number): number {
  return typeof value === "number" ? value : round((Number.parseInt(value, 10) * whole) / 100);
}
