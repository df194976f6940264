import type { Problem } from '../../contract/problem';

type Fault = NonNullable<Problem['errors']>[number];

interface Particulars {
  /** What the reader can do about it. */
  remedy?: string;
  /** One entry for each fault of the input. */
  errors?: Fault[];
  /** For `Retry-After` (RFC 9110, 10.2.3). */
  retryAfterSeconds?: number;
  cause?: unknown;
}

/**
 * A refusal or a failure that a caller may read: a stable `code`, the HTTP status it becomes, and sentences that say
 * what happened and what to do. Private detail goes into `cause`, which only the log sees.
 */
export class RelayError extends Error {
  readonly remedy: string | undefined;
  readonly errors: Fault[] | undefined;
  readonly retryAfterSeconds: number | undefined;

  constructor(
    readonly code: string,
    readonly status: number,
    detail: string,
    { remedy, errors, retryAfterSeconds, cause }: Particulars = {},
  ) {
    super(detail, { cause });
    this.name = 'RelayError';
    this.remedy = remedy;
    this.errors = errors;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** The start cannot go on until the operator changes something; the process ends with exit code 78 (EX_CONFIG). */
export class StartRefused extends Error {
  constructor(readonly faults: readonly StartFault[]) {
    super(faults.map((fault) => `${fault.what} ${fault.remedy}`).join('\n'));
    this.name = 'StartRefused';
  }
}

export interface StartFault {
  /** The setting or the file at fault. */
  where: string;
  what: string;
  remedy: string;
}
