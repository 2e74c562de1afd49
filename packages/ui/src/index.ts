export { type PageFile, pageFile } from "./page-files.ts";
