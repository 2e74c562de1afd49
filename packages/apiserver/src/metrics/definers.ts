/** How parts of what a server counts get into what `/metrics` answers. */
import type { Histogram, MetricLabels } from "@coxswain/machinery";

type Define = (name: string, help: string, values: Iterable<readonly [MetricLabels, number]>) => void;
type DefineHistogram = (name: string, help: string, values: Iterable<readonly [MetricLabels, Histogram]>) => void;

export interface Definers {
  readonly counter: Define;
  readonly gauge: Define;
  readonly histogram: DefineHistogram;
}
