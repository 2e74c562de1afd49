/** Simulated nodes in a process of their own, so that what they cost is not counted as the controllers'. */
import { clientFromKubeconfig } from "@coxswain/client/node";
import { simulateNodes } from "../tests/controllers/simulated-node.ts";

const [kubeconfig = ""] = process.argv.slice(2);
const client = await clientFromKubeconfig({ paths: [kubeconfig] });
await simulateNodes({ client, nodes: 100 });
process.stdout.write("ready\n");
