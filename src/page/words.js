/* Moments and amounts as people read them. */

const UNITS = [[86400e3, "d"], [3600e3, "h"], [60e3, "min"], [1e3, "s"]];

/* "3.2 s", "4 min": one unit, which is enough for a glance. */
export function duration(ms) {
  for (const [unit, name] of UNITS) {
    if (ms >= unit) {
      const count = ms / unit;
      return `${count < 10 && name === "s" ? (Math.floor(count * 10) / 10).toFixed(1) : Math.floor(count)} ${name}`;
    }
  }
  return `${Math.round(ms)} ms`;
}

/* "18:29:34", by UTC as doyen and its logs have it; with the day where that is another one. */
export function clock(moment, end = 19) {
  const text = new Date(moment).toISOString();
  return `${text.slice(0, 10) === new Date().toISOString().slice(0, 10) ? "" : `${text.slice(5, 10)} `}${text.slice(11, end)}`;
}

/* "18:29:34.729": much happens within one second. */
export function exactly(moment) {
  return clock(moment, 23);
}

/* "4 members", "1 member". */
export function count(number, word) {
  return `${number} ${word}${number === 1 ? "" : "s"}`;
}

/* 1234 becomes "1.2 k". */
export function amount(number) {
  for (const [unit, name] of [[1e9, "G"], [1e6, "M"], [1e3, "k"]]) {
    if (number >= unit) {
      return `${(number / unit).toFixed(1)} ${name}`;
    }
  }
  return number < 10 && number % 1 !== 0 ? number.toFixed(1) : `${Math.round(number)}`;
}
