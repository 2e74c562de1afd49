/** A configuration that cannot be used; the message is kube-scheduler's where that has one. */
export class SchedulerConfigError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "SchedulerConfigError";
  }
}
