import { STATUS_CODES } from 'node:http';
import { HttpException } from '@nestjs/common';
import { ZodError } from 'zod';
import type { Problem } from '../../contract/problem';
import type { ProblemCode } from '../../contract/problem-codes';
import { RelayError } from '../ground/relay-error';

/** Codes of errors raised by Nest and Fastify; other codes are derived from the reason phrase. */
const CODES: Record<number, ProblemCode> = {
  400: 'invalid_request',
  404: 'not_found',
  413: 'body_too_large',
};

/** A validation issue as Standard Schema reports it. */
interface Issue {
  /** As zod names them. */
  code?: string;
  message: string;
  path?: readonly (PropertyKey | { key: PropertyKey })[] | undefined;
  /** Of a value with several forms: the issues of each form. */
  errors?: readonly (readonly Issue[])[];
}

/** Validation errors quote the input, so their number and lengths are limited. */
const MAX_ERRORS = 20;
const MAX_PATH_LENGTH = 200;
const MAX_MESSAGE_LENGTH = 600;

/** An error as the caller may see it (RFC 9457). Unexpected errors become `internal_error` without details. */
export function describeProblem(error: unknown): Problem {
  if (error instanceof ZodError) return describeProblem(invalidRequest(error.issues));
  if (error instanceof RelayError) {
    const { code, status, message, remedy, errors, members } = error;
    const shown = errors?.slice(0, MAX_ERRORS).map((entry) => ({
      path: truncate(entry.path, MAX_PATH_LENGTH),
      message: truncate(entry.message, MAX_MESSAGE_LENGTH),
    }));
    return {
      ...problemDetails(status, code, message),
      ...(remedy && { remedy }),
      ...(shown && { errors: shown }),
      ...members,
    };
  }
  if (error instanceof HttpException && error.getStatus() < 500) {
    const status = error.getStatus();
    // Nest's message repeats the URL, which may contain a token.
    const detail = status === 404 ? 'There is no route at this URL.' : error.message;
    return problemDetails(status, codeOf(status), detail);
  }
  return problemDetails(500, 'internal_error', 'An unexpected error occurred. See the log for details.');
}

/** The error for input that does not match its schema, with the invalid fields listed. */
export function invalidRequest(issues: readonly Issue[]): RelayError {
  const errors = issues
    .flatMap(ofNearestForm)
    .slice(0, MAX_ERRORS)
    .map(({ path = [], message }) => ({
      path: path.map((step) => String(typeof step === 'object' ? step.key : step)).join('.'),
      message,
    }));
  return new RelayError('invalid_request', 400, 'The request is invalid.', { errors });
}

/** An issue, or those of the form that the value comes closest to. */
function ofNearestForm(issue: Issue): readonly Issue[] {
  const [nearest] = issue.errors?.toSorted((one, other) => distanceOf(one) - distanceOf(other)) ?? [];
  if (nearest === undefined) return [issue];
  return nearest.flatMap((part) =>
    ofNearestForm({ ...part, path: [...(issue.path ?? []), ...(part.path ?? [])] }),
  );
}

/** Another type is farther than unknown names, and those are farther than any number of missing or invalid values. */
const distanceOf = (issues: readonly Issue[]): number =>
  issues.reduce((sum, { code, path }) => {
    if (code === 'invalid_type' && path?.length === 0) return sum + 10_000;
    return sum + (code === 'unrecognized_keys' ? 100 : 1);
  }, 0);

/** @param userIsMissing whether a proxy that can name users named none */
export function unauthorized(userIsMissing = false): RelayError {
  const detail = `Authentication is required: ${userIsMissing ? 'the proxy named no user, and ' : ''}the request has no valid token or session.`;
  return new RelayError('unauthorized', 401, detail, {
    remedy: `${userIsMissing ? 'Sign in at the proxy, and check that it sends the user header. Or send' : 'Send'} Authorization: Bearer <token> (DATA_DIR/admin.token), or sign in with the link that \`switchboard login-link\` prints.`,
  });
}

export const truncate = (text: string, maxLength: number): string =>
  text.length > maxLength ? `${text.slice(0, maxLength)}…` : text;

/** `type` is `about:blank` because there is no page about the error; `code` identifies it. */
export function problemDetails(status: number, code: ProblemCode, detail: string): Problem {
  return { type: 'about:blank', title: STATUS_CODES[status] ?? 'Error', status, code, detail };
}

function codeOf(status: number): ProblemCode {
  const reason = (STATUS_CODES[status] ?? 'error').toLowerCase().replaceAll(/[^a-z]+/g, '_');
  return CODES[status] ?? (reason as ProblemCode);
}
