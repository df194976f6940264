import type { ZodType } from 'zod';
import { Problem } from './problem';

/** The input as `schema` has it, or a 422 `Problem` that lists every fault of it at once. */
export function parseRequest<T>(schema: ZodType<T>, input: unknown): T {
  const result = schema.safeParse(input);
  if (result.success) return result.data;
  const faults = result.error.issues.map((issue) => ({
    field: issue.path.join('.') || 'body',
    detail: issue.message,
  }));
  const list = faults.map((fault) => `${fault.field}: ${fault.detail}`).join(' ');
  throw new Problem(422, 'invalid_request', 'The request was not understood', list, faults);
}
