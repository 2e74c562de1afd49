/** What Pods and Nodes use, as a metrics source measures it. */

/** What was used at one time. */
export interface Measured {
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** From which time before; milliseconds. */
  readonly windowMs: number;
  /** A second of one processor is 10⁹ in each second. */
  readonly cpuNanocores: number;
  readonly memoryBytes: number;
}

/** What one container of a Pod uses. */
export interface MeasuredContainer extends Measured {
  readonly name: string;
}

/** Called with each request; what was not measured is left out. */
export interface ResourceMetrics {
  /** By name. */
  nodes(): Promise<ReadonlyMap<string, Measured>>;
  /** By namespace and name with a slash between. */
  pods(): Promise<ReadonlyMap<string, readonly MeasuredContainer[]>>;
}
