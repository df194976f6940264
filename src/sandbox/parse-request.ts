import type { ZodType } from 'zod';
import { Problem } from './problem';

/** @throws Problem with status 422 that lists all invalid fields */
export function parseRequest<T>(schema: ZodType<T>, input: unknown): T {
  const result = schema.safeParse(input);
  if (result.success) return result.data;
  const errors = result.error.issues.map((issue) => ({
    field: issue.path.join('.') || 'body',
    detail: issue.message,
  }));
  const list = errors.map((error) => `${error.field}: ${error.detail}`).join(' ');
  throw new Problem(422, 'invalid_request', 'Invalid request', list, errors);
}
