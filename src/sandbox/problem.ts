import type { FastifyReply } from 'fastify';

/**
 * An error response as in RFC 9457. `code` is stable; `detail`, which becomes the error's message, says what happened
 * and what to do.
 */
export class Problem extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    readonly title: string,
    detail: string,
    /** The invalid fields of the request; each `detail` says what is wrong, and what to send instead. */
    readonly errors: readonly { field: string; detail: string }[] = [],
  ) {
    super(detail);
  }
}

/** The document shows no error bodies (document, 7), so the sandbox sends problem details as in RFC 9457. */
export function sendProblem(reply: FastifyReply, problem: Problem): FastifyReply {
  return reply
    .code(problem.status)
    .type('application/problem+json')
    .send({
      type: 'about:blank',
      title: problem.title,
      status: problem.status,
      code: problem.code,
      detail: problem.message,
      ...(problem.errors.length > 0 && { errors: problem.errors }),
    });
}
