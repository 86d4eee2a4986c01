#!/usr/bin/env python3
import doyen

with doyen.Client() as client:  # DOYEN_CONTROL, or the only daemon of this host
    while True:
        with client.leading() as lead:  # waits until this node acts
            print(f"epoch {lead.epoch}: begins", flush=True)
            while lead.held():  # false before the right to act ends
                lead.doze(1)  # work here, and send lead.epoch along
            print(f"epoch {lead.epoch}: over", flush=True)
