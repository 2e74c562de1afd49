/** `notFound` is an image, container or sandbox that is not there; `unavailable` a runtime that does not answer. */
export type RuntimeErrorKind = "notFound" | "alreadyExists" | "timeout" | "unavailable" | "unimplemented" | "refused" | "unknown";

/** What the runtime says, for people, in `message`. */
export class RuntimeError extends Error {
  readonly kind: RuntimeErrorKind;

  constructor(kind: RuntimeErrorKind, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "RuntimeError";
    this.kind = kind;
  }
}
