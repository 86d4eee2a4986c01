// Who stands for which role: GET /v1/roles of proto/control.md.

import { expected } from "./errors.js";

function candidateOf({ member, request, priority, eligible, lacks, value, token, holding_ms: holdingMs = 0, stopping = false }) {
  const held = token === undefined ? null : BigInt(token);
  return Object.freeze({ member, request, priority, eligible, lacks, value, token: held, holdingMs, stopping });
}

function roleOf({ role: name, policy, max_holders: maxHolders, need, holders, candidates }) {
  return Object.freeze({
    name,
    policy,
    maxHolders,
    need,
    holders: Object.freeze(holders.map(candidateOf)),
    candidates: Object.freeze(candidates.map(candidateOf)),
  });
}

// The roles in a document of /v1/roles.
export function rolesOf({ roles: list, advisory, stale, unanswered, unasked }) {
  return expected("its roles", () => {
    const roles = Object.freeze(list.map(roleOf));
    const role = (name) => roles.find((one) => one.name === name) ?? null;
    return Object.freeze({ roles, advisory, stale, unanswered: Object.freeze([...unanswered]), unasked, role });
  });
}
