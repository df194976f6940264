import type { TransformFailure } from '../../contract/transform';

const MAX_MESSAGE = 300;

/** An expression could not be compiled or evaluated, or has no usable result. */
export class TransformFailed extends Error {
  constructor(
    readonly code: string,
    message: string,
    /** In the expression, in characters from 0. */
    readonly position: number | null = null,
  ) {
    super(message);
  }
}

/** JSONata throws plain objects, and errors of JavaScript. */
export function describeFailure(error: unknown): TransformFailure {
  const { code, position, message } = error as Partial<TransformFailed>;
  return {
    code: code ?? 'evaluation_failed',
    position: position ?? null,
    message: (message ?? String(error)).slice(0, MAX_MESSAGE),
  };
}
