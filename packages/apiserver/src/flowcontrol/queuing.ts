/** How requests of a level wait. */
export type Queuing =
  /** Not at all: they always run. */
  | { readonly kind: "exempt" }
  /** Not at all: those for which there is no seat are refused. */
  | { readonly kind: "reject" }
  | { readonly kind: "queue"; readonly queues: number; readonly handSize: number; readonly queueLengthLimit: number };
