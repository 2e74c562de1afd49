/** What only Node has: files, sockets and processes. */
export {};
