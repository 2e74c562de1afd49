/** A message that cannot be read, or a name that cannot be written. */
export class FormatError extends Error {
  override readonly name = "FormatError";
}
