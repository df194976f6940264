import { STATUS_CODES } from 'node:http';
import { HttpException } from '@nestjs/common';
import { ZodError } from 'zod';
import type { Problem } from '../contract/problem';
import { RelayError } from './relay-error';

/** Names what Nest and Fastify refuse by themselves; other statuses are named by their own phrase. */
const CODES: Record<number, string> = { 400: 'invalid_request', 404: 'not_found', 413: 'body_too_large' };

/** One fault of an input, as Standard Schema reports it. */
interface Issue {
  message: string;
  path?: readonly (PropertyKey | { key: PropertyKey })[] | undefined;
}

/** What a caller may read of an error (RFC 9457). Whatever nobody meant for him becomes `internal_error`. */
export function describeProblem(error: unknown): Problem {
  if (error instanceof ZodError) return describeProblem(invalidRequest(error.issues));
  if (error instanceof RelayError) {
    const { code, status, message, remedy, errors } = error;
    return { ...frame(status, code, message), ...(remedy && { remedy }), ...(errors && { errors }) };
  }
  if (error instanceof HttpException && error.getStatus() < 500) {
    const status = error.getStatus();
    // Nest's own sentence repeats the address, and addresses may carry tokens.
    return frame(
      status,
      codeOf(status),
      status === 404 ? 'There is nothing at this address.' : error.message,
    );
  }
  return frame(500, 'internal_error', 'Switchboard failed at this. The log says more.');
}

/** An input that does not fit its schema, every fault named. */
export function invalidRequest(issues: readonly Issue[]): RelayError {
  const errors = issues.map(({ path = [], message }) => ({
    path: path.map((step) => String(typeof step === 'object' ? step.key : step)).join('.'),
    message,
  }));
  return new RelayError('invalid_request', 400, 'The request does not have the form that is expected.', {
    errors,
  });
}

/** `type` says that `code` and status tell all there is: there is no page to look up. */
export function frame(status: number, code: string, detail: string): Problem {
  return { type: 'about:blank', title: STATUS_CODES[status] ?? 'Error', status, code, detail };
}

function codeOf(status: number): string {
  return CODES[status] ?? (STATUS_CODES[status] ?? 'error').toLowerCase().replaceAll(/[^a-z]+/g, '_');
}
