/** Whether a payload meets a condition; null if that depends on a state before that is not known. */
export type Verdict = boolean | null;

export const not = (verdict: Verdict): Verdict => (verdict === null ? null : !verdict);

/** False if any is, even if others are unknown. */
export function every<Part>(parts: readonly Part[], judge: (part: Part) => Verdict): Verdict {
  let all: Verdict = true;
  for (const part of parts) {
    const verdict = judge(part);
    if (verdict === false) return false;
    if (verdict === null) all = null;
  }
  return all;
}

/** True if any is, even if others are unknown. */
export const some = <Part>(parts: readonly Part[], judge: (part: Part) => Verdict): Verdict =>
  not(every(parts, (part) => not(judge(part))));
