// What can go wrong, in one line that names the fault and the remedy.

export const REFUSED = 1;
export const UNREACHABLE = 4;
export const TIMED_OUT = 5;
export const USAGE = 64;

export class DoyenError extends Error {
  constructor(code, text, { passing = false, cause } = {}) {
    super(text.split(/\s+/).join(" "), { cause });
    this.name = "DoyenError";
    this.code = code;
    this.passing = passing || code === UNREACHABLE || code === TIMED_OUT;
  }
}

export class LeadLost extends DoyenError {
  constructor(text) {
    super(REFUSED, text);
    this.name = "LeadLost";
  }
}

// What `read` makes of a document of the daemon; an error where that is not as this module knows it.
export function expected(what, read) {
  try {
    return read();
  } catch (error) {
    const text = `what doyend tells of ${what} is not as expected (${error.message}): is it another version?`;
    throw new DoyenError(REFUSED, text, { cause: error });
  }
}

export function senseless(where, what) {
  return new DoyenError(REFUSED, `the answer of ${where} makes no sense (${what}): is it doyend?`);
}

// A daemon that took the question and gives no answer.
export function silent(where, ms) {
  return new DoyenError(
    TIMED_OUT,
    `the daemon at ${where} did not answer within ${ms / 1000} s: it may be stopped or overloaded`,
  );
}

// What wait and leading end with when the time is over.
export function tooLate(timeoutMs, missing) {
  return new DoyenError(TIMED_OUT, `timed out after ${timeoutMs / 1000} s: ${missing}`);
}
