import type { FastifyReply } from 'fastify';

/** Sends bytes that may be anything, HTML included: browsers must download them rather than display them. */
export const sendBytes = (
  reply: FastifyReply,
  { name, body, contentType }: { name: string; body: Uint8Array; contentType: string | null },
): FastifyReply =>
  reply
    .header('content-type', contentType ?? 'application/octet-stream')
    .header('content-disposition', `attachment; filename="${name}.body"`)
    .header('x-content-type-options', 'nosniff')
    .send(body);
