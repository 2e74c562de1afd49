/** Options of whatever waits: aborting the signal ends the wait and rejects with the signal's reason. */
export interface Cancellable {
  readonly signal?: AbortSignal | undefined;
}
