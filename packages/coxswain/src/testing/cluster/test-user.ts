import type { InProcessUser } from "../../in-process/in-process-callers.ts";

/** Who a client is. Without groups they may do everything: the group is `system:masters`. */
export interface TestUser extends InProcessUser {}
