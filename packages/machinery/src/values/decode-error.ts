/** The body does not fit its type. The message is what Go's decoders would say. */
export class DecodeError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "DecodeError";
  }
}

/** A value of the wrong JSON type, at a field. */
export class DecodeTypeError extends DecodeError {
  /** What Kubernetes says instead where it fills its structs without JSON, as after a strategic merge patch. */
  readonly restoring: string;
  /** @param what as in `number`, `number 1.5`, `object` @param field as in `PodSpec.spec.containers` @param goType as in `[]v1.Container` @param restoring absent where both say the same */
  constructor(what: string, field: string, goType: string, restoring?: string) {
    super(
      field === ""
        ? `json: cannot unmarshal ${what} into Go value of type ${goType}`
        : `json: cannot unmarshal ${what} into Go struct field ${field} of type ${goType}`,
    );
    this.name = "DecodeTypeError";
    this.restoring = restoring ?? this.message;
  }
}
