export { createSharedMemory, type FollowingStore, type SharedMemory } from "./shared-memory.ts";
