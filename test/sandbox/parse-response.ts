import type { ZodType } from 'zod';

/** The JSON of a response; fails if it does not match the schema. */
export async function parseResponse<T>(response: Response, schema: ZodType<T>): Promise<T> {
  return schema.parse(await response.json());
}
