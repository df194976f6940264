import type { Problem } from '../../contract/problem';

type Fault = NonNullable<Problem['errors']>[number];

interface RelayErrorOptions {
  /** What the reader can do about it. */
  remedy?: string;
  /** One entry per invalid part of the input. */
  errors?: Fault[];
  /** For `Retry-After` (RFC 9110, 10.2.3). */
  retryAfterSeconds?: number;
  cause?: unknown;
}

/**
 * An error whose text may be shown to the caller: a stable `code`, the HTTP status, and sentences that say what happened
 * and what to do. Private detail belongs in `cause`, which is only logged.
 */
export class RelayError extends Error {
  readonly remedy: string | undefined;
  readonly errors: Fault[] | undefined;
  readonly retryAfterSeconds: number | undefined;

  constructor(
    readonly code: string,
    readonly status: number,
    detail: string,
    { remedy, errors, retryAfterSeconds, cause }: RelayErrorOptions = {},
  ) {
    super(detail, { cause });
    this.name = 'RelayError';
    this.remedy = remedy;
    this.errors = errors;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** The daemon cannot start until the operator changes something; the process exits with code 78 (EX_CONFIG). */
export class StartupError extends Error {
  constructor(readonly faults: readonly StartFault[]) {
    super(faults.map((fault) => `${fault.what} ${fault.remedy}`).join('\n'));
    this.name = 'StartupError';
  }
}

export interface StartFault {
  /** The setting or file that is at fault. */
  where: string;
  what: string;
  remedy: string;
}
