/** What a failure says, for messages that tell it on. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
