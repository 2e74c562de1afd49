/** The front: what others may ask for, and who answers it. */
import { ask, serve } from "./serve.ts";

serve(async ({ method, path, body }) => {
  if (path.startsWith("/products")) return await ask(`http://catalog${path}`);
  if (path.startsWith("/prices/")) return await ask(`http://prices${path}`);
  if (path.startsWith("/orders/")) return await ask(`http://orders${path}`, method === "POST" ? body : undefined);
  return undefined;
});
