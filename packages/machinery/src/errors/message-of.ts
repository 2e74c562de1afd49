/** The text of what was thrown: an `Error`'s message, and of any other value what `String` makes of it. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
