import type { PolicyDraft } from './policy-draft';
import type { TargetDraft } from './target-draft';

/** What each part of the form works with. */
export interface FormPart {
  draft: TargetDraft;
  change: (part: Partial<TargetDraft>) => void;
  changePolicy: (part: Partial<PolicyDraft>) => void;
  /** How often somebody wanted to save. */
  attempts: number;
  /** What is wrong at a path (`policy.timeout_ms`) or below it, once it may be told. */
  errorOf: (path: string) => string | undefined;
}
