/** When the proxy is to do what next: bursts of changes are written together, failures are tried again later and later. */

/** Durations are milliseconds. */
export interface SyncPeriods {
  /** Between the end of a sync and the next one. */
  readonly minSyncMs: number;
  /** How often the tables are looked at, and at most between a failure and the next attempt. */
  readonly syncMs: number;
}

/** What has happened; moments are on the monotonic clock. */
export interface SyncState {
  /** When the first change came that is not written; undefined: all is. */
  readonly changedAt: number | undefined;
  readonly syncedAt: number | undefined;
  readonly verifiedAt: number;
  /** When all was last written. */
  readonly fullSyncAt: number;
  /** In a row. */
  readonly failures: number;
  /** When chains that nothing leads to can go. */
  readonly staleAt: number | undefined;
}

/** What to do, and when. */
export interface NextStep {
  readonly step: "sync" | "full sync" | "verify" | "delete stale chains";
  readonly at: number;
}

/** All is written again this often, whatever the tables look like. */
export const fullSyncMs = 3_600_000;

const firstRetryMs = 1_000;

/** The earliest of all; of those at one moment the one that writes most. */
export function nextStep(state: SyncState, { minSyncMs, syncMs }: SyncPeriods): NextStep {
  const { changedAt, syncedAt, failures, staleAt } = state;
  const pauseMs = failures === 0 ? minSyncMs : Math.min(Math.max(syncMs, firstRetryMs), firstRetryMs * 2 ** (failures - 1));
  const steps: NextStep[] = [
    { step: "full sync", at: state.fullSyncAt + fullSyncMs },
    { step: "verify", at: state.verifiedAt + syncMs },
  ];
  if (changedAt !== undefined)
    steps.push({ step: "sync", at: syncedAt === undefined ? changedAt : Math.max(changedAt, syncedAt + pauseMs) });
  if (staleAt !== undefined) steps.push({ step: "delete stale chains", at: staleAt });
  return steps.reduce((first, step) => (step.at < first.at ? step : first));
}
