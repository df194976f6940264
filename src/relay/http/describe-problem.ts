import { STATUS_CODES } from 'node:http';
import { HttpException } from '@nestjs/common';
import { ZodError } from 'zod';
import type { Problem } from '../../contract/problem';
import { RelayError } from '../ground/relay-error';

/** Names what Nest and Fastify refuse by themselves; other statuses are named by their own phrase. */
const CODES: Record<number, string> = { 400: 'invalid_request', 404: 'not_found', 413: 'body_too_large' };

/** One fault of an input, as Standard Schema reports it. */
interface Issue {
  message: string;
  path?: readonly (PropertyKey | { key: PropertyKey })[] | undefined;
  /** Zod's: the names that the schema does not know. */
  keys?: unknown;
}

/** An answer names so many faults at most, and of a path or a sentence so much: input comes back in them. */
const MOST_FAULTS = 20;
const MOST_PATH = 200;
const MOST_SENTENCE = 300;
/** Of unknown names. */
const MOST_NAMES = 5;
const MOST_NAME = 40;

/** What a caller may read of an error (RFC 9457). Whatever nobody meant for him becomes `internal_error`. */
export function describeProblem(error: unknown): Problem {
  if (error instanceof ZodError) return describeProblem(invalidRequest(error.issues));
  if (error instanceof RelayError) {
    const { code, status, message, remedy, errors } = error;
    const faults = errors?.slice(0, MOST_FAULTS).map((fault) => ({
      path: cut(fault.path, MOST_PATH),
      message: cut(fault.message, MOST_SENTENCE),
    }));
    return { ...frame(status, code, message), ...(remedy && { remedy }), ...(faults && { errors: faults }) };
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

/** An input that does not fit its schema, its faults named. */
export function invalidRequest(issues: readonly Issue[]): RelayError {
  const errors = issues.slice(0, MOST_FAULTS).map(({ path = [], message, keys }) => ({
    path: path.map((step) => String(typeof step === 'object' ? step.key : step)).join('.'),
    message: Array.isArray(keys) ? `Not known here: ${nameSome(keys.map(String))}` : message,
  }));
  return new RelayError('invalid_request', 400, 'The request does not have the form that is expected.', {
    errors,
  });
}

/** Some names of an input, each cut, and how many more there are. */
function nameSome(names: readonly string[]): string {
  const some = names.slice(0, MOST_NAMES).map((name) => JSON.stringify(cut(name, MOST_NAME)));
  const more = names.length - some.length;
  return more > 0 ? `${some.join(', ')} and ${more} more` : some.join(', ');
}

const cut = (text: string, most: number): string => (text.length > most ? `${text.slice(0, most)}…` : text);

/** `type` says that `code` and status tell all there is: there is no page to look up. */
export function frame(status: number, code: string, detail: string): Problem {
  return { type: 'about:blank', title: STATUS_CODES[status] ?? 'Error', status, code, detail };
}

function codeOf(status: number): string {
  return CODES[status] ?? (STATUS_CODES[status] ?? 'error').toLowerCase().replaceAll(/[^a-z]+/g, '_');
}
