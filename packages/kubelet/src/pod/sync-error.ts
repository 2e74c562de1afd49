/** Why a container waits, as its state in the status has it, or why the whole Pod cannot go on. */
export class SyncError extends Error {
  /** `ErrImagePull`, `CreateContainerConfigError`, … */
  readonly reason: string;

  constructor(reason: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "SyncError";
    this.reason = reason;
  }
}
