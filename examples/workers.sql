-- A pool of workers and their leader, for workers.py, workers.mjs, workers.go and workers.c.
CREATE TABLE pool (token bigint NOT NULL, leader text); -- one row: the highest token that was seen
INSERT INTO pool VALUES (0, NULL);
CREATE TABLE job (id bigserial PRIMARY KEY, worker text, token bigint, done timestamptz);

-- Hands out the jobs that nobody has, or somebody who is gone. Who leads by an older token is refused, and who leads by
-- a newer one waits until this is committed: what else the leader writes belongs in the same transaction.
CREATE FUNCTION hand_out(mine bigint, me text, workers text[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    UPDATE pool SET token = mine, leader = me WHERE token <= mine;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'token % is over', mine;
    END IF;
    UPDATE job SET worker = workers[1 + id % cardinality(workers)], token = mine
        WHERE done IS NULL AND (worker IS NULL OR worker <> ALL (workers));
END $$;
