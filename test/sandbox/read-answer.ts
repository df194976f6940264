import type { ZodType } from 'zod';

/** The JSON of an answer, in the shape that the test expects of it; fails on any other. */
export async function readAnswer<T>(answer: Response, shape: ZodType<T>): Promise<T> {
  return shape.parse(await answer.json());
}
