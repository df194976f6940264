import type { FastifyReply } from 'fastify';

/** One thing wrong with a request: where, and what to send instead. */
export interface Fault {
  field: string;
  detail: string;
}

/** A request that is refused, in the words of RFC 9457. `code` is stable; `message` says what happened and what to do. */
export class Problem extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    readonly title: string,
    detail: string,
    readonly faults: readonly Fault[] = [],
  ) {
    super(detail);
  }
}

/** Answers with the problem as `application/problem+json`. Error bodies are not shown (document, 7): RFC 9457 is our reading. */
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
      ...(problem.faults.length > 0 && { errors: problem.faults }),
    });
}
