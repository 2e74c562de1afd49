/** Groups and versions that other servers serve, as discovery lists them beside the server's own. */
export interface AggregatedVersions {
  /** Grows with every change. */
  readonly version: number;
  /** All groups in their order. @param own those that are served here, in their order */
  groups(own: readonly string[]): readonly string[];
  /** All versions of a group in their order. @param own those that are served here, in their order */
  versions(group: string, own: readonly string[]): readonly string[];
  /** In aggregated discovery; undefined for what is served here. */
  entry(group: string, version: string): object | undefined;
}

/** Where no other server serves anything. */
export const noneAggregated: AggregatedVersions = {
  version: 0,
  groups: (own) => own,
  versions: (_group, own) => own,
  entry: () => undefined,
};
