export { createSharedMemory, type FollowingOptions, type FollowingStore, type SharedMemory } from "./shared-memory.ts";
