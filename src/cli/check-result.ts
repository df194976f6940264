/** The result of one check of `doctor`. */
export interface CheckResult {
  name: string;
  /** Null if the check could not run. */
  ok: boolean | null;
  sentence: string;
  remedy: string | null;
}

const withoutRemedy =
  (ok: true | null) =>
  (name: string, sentence: string): CheckResult => ({ name, ok, sentence, remedy: null });

export const pass = withoutRemedy(true);
export const unknown = withoutRemedy(null);

export const fail = (name: string, sentence: string, remedy: string): CheckResult => ({
  name,
  ok: false,
  sentence,
  remedy,
});
