import { storeContract } from "../contract/store-contract.ts";
import { createMemoryStore } from "./memory-store.ts";

storeContract("memory", async (options) => createMemoryStore(options), { runs: 30 });
