/** Every built-in kind's behaviour. A kind that is not listed takes the defaults of KindBehaviour. */
import type { KindBehaviour } from "../kind.ts";

export const kinds: readonly KindBehaviour[] = [];
