import { storeContract } from "../contract/store-contract.ts";
import { openSqliteStore } from "./sqlite-store.ts";
import { temporaryFolder } from "./temporary-folder.ts";

const folder = temporaryFolder();
let stores = 0;

storeContract("sqlite", (options) => openSqliteStore({ ...options, path: folder(`contract-${stores++}.db`) }), { runs: 10 });
