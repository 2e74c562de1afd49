// What the thread of an API server runs from source: as the command does, with a short cut to this repository's own modules.
import { registerHooks } from "node:module";
import { resolve } from "./own-modules.mjs";

registerHooks({ resolve });
await import("../src/servers/server-thread.ts");
