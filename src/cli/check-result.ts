/** The result of one check of `doctor`. */
export interface CheckResult {
  name: string;
  /** Null if the check could not run. */
  ok: boolean | null;
  sentence: string;
  remedy: string | null;
}

export const pass = (name: string, sentence: string): CheckResult => ({
  name,
  ok: true,
  sentence,
  remedy: null,
});

export const fail = (name: string, sentence: string, remedy: string): CheckResult => ({
  name,
  ok: false,
  sentence,
  remedy,
});

export const unknown = (name: string, sentence: string): CheckResult => ({
  name,
  ok: null,
  sentence,
  remedy: null,
});
