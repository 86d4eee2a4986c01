#!/usr/bin/env python3
"""A worker of the pool of workers.sql, which hands out the jobs where its node acts. PGHOST and the like say where."""
import subprocess
import threading
import time

import doyen

PAUSE_S = 0.2


def sql(query, **values):
    """By psql; in earnest, by a driver. Returns whether it was not refused."""
    options = [word for name, value in values.items() for word in ("-v", f"{name}={value}")]
    psql = ["psql", "-XAtq", "-v", "ON_ERROR_STOP=1", *options]
    return subprocess.run(psql, input=query, text=True, check=False, stdout=subprocess.DEVNULL).returncode == 0


def work(me):
    while True:  # A job that another one has by now is not this one's to end.
        sql("UPDATE job SET done = now() WHERE worker = :'me' AND done IS NULL", me=me)
        time.sleep(PAUSE_S)


with doyen.Client() as client:  # DOYEN_CONTROL, or the only daemon of this host
    me = client.view().node
    threading.Thread(target=work, args=(me,), daemon=True).start()
    while True:
        with client.leading() as lead:  # waits until this node acts
            while lead.held():  # false before the right to act ends
                workers = ",".join(member.name for member in client.view().members)
                sql("SELECT hand_out(:token, :'me', :'workers')", token=lead.epoch, me=me, workers=f"{{{workers}}}")
                lead.doze(PAUSE_S)
