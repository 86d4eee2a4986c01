#!/usr/bin/env node
import { Client } from "doyen";

const client = new Client(); // DOYEN_CONTROL, or the only daemon of this host
for (;;) {
  await client.leading(async (lead) => { // waits until this node acts
    console.log(`epoch ${lead.epoch}: begins`);
    while (lead.held()) { // false before the right to act ends
      await lead.sleep(1000).catch(() => {}); // work here, and send lead.epoch along
    }
    console.log(`epoch ${lead.epoch}: over`);
  });
}
