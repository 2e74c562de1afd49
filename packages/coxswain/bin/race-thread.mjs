// What the thread of races runs from source: as the command does, with a short cut to this repository's own modules.
import { registerHooks } from "node:module";
import { resolve } from "./own-modules.mjs";

registerHooks({ resolve });
await import("../src/races/sandbox/race-thread.ts");
