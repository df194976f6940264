import type { FastifyBodyParser, FastifyInstance } from 'fastify';

/** JSON; an empty body is none, whatever its type is said to be: many clients name one with every request. */
export function parseJsonBody(fastify: FastifyInstance): FastifyBodyParser<Buffer> {
  const parse = fastify.getDefaultJsonParser('error', 'error') as unknown as FastifyBodyParser<Buffer>;
  return (request, body, done) => {
    if (body.length === 0) done(null);
    else return parse(request, body, done);
  };
}
