import type { PolicyDraft } from './policy-draft';
import type { TargetDraft } from './target-draft';

/** Props of every part of the form. */
export interface FormPart {
  draft: TargetDraft;
  change: (part: Partial<TargetDraft>) => void;
  changePolicy: (part: Partial<PolicyDraft>) => void;
  /** How often the user tried to save. */
  saveAttempts: number;
  /** The error at a path (`policy.timeout_ms`) or below it. */
  errorOf: (path: string) => string | undefined;
}
