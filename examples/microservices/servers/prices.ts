/** What it costs. In cents. */
import { serve } from "./serve.ts";

const prices: Readonly<Record<string, number>> = { compass: 2_450, lamp: 1_200, rope: 375 };

serve(({ path }) => {
  const price = prices[path.slice("/prices/".length)];
  return price === undefined ? undefined : { price };
});
