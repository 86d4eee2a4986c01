// The doyend of this host: who is in the cluster, who coordinates, what changes, and may this node
// act now?
//
//     import { Client } from "doyen";
//
//     const client = new Client(); // DOYEN_CONTROL, or the only daemon of this host
//     await client.leading(async (lead) => {
//       // this node acts; lead.signal is aborted before the right to act ends
//     });
//
// It needs Node.js 18 and nothing else. index.d.ts says what everything means.

export { Client } from "./client.js";
export { DoyenError, LeadLost, REFUSED, TIMED_OUT, UNREACHABLE, USAGE } from "./errors.js";
export { Lead } from "./lease.js";
export { partitionOf } from "./partition.js";
export { Holding } from "./role.js";
