/** What there is. */
import { serve } from "./serve.ts";

const products = [
  { id: "compass", name: "Compass" },
  { id: "lamp", name: "Lamp" },
  { id: "rope", name: "Rope" },
];

serve(({ path }) => {
  const id = path.slice("/products/".length);
  return path === "/products" ? products : products.find((product) => product.id === id);
});
