import { z } from 'zod';
import { PROBLEM_CODES, type ProblemCode } from './problem-codes';

export const reader = z
  .object({
    holder: z.string().describe('The name of its token.'),
    address: z.string().describe('Its IP address.'),
    until: z.iso.datetime().describe('When its lease ends.'),
  })

  .describe('Who has the lease of a consumer.');

export const problem = z
  .object({
    type: z.string().describe('Always `about:blank`: `code` says what kind of problem it is.'),
    title: z.string().describe('The status in words.'),
    status: z.number().int().describe('The HTTP status.'),
    code: z
      .enum(Object.keys(PROBLEM_CODES) as [ProblemCode])
      .describe('What kind of problem it is. Stable, unlike the texts.'),
    detail: z.string().describe('What happened and why.'),
    remedy: z.string().optional().describe('What to do.'),
    errors: z
      .array(
        z.object({
          path: z.string().describe('Where it is: names and indexes, separated by dots.'),
          message: z.string().describe('What is wrong with it.'),
        }),
      )
      .optional()
      .describe('All invalid fields of the request.'),
    missed: z
      .number()
      .int()
      .optional()
      .describe('`position_pruned`: how many events were removed before they were read.'),
    oldest_cursor: z
      .string()
      .optional()
      .describe('`position_pruned`: the position to go on from without them.'),
    lease: reader.optional().describe('`consumer_leased`: who reads the consumer at present.'),
  })
  .describe('An error (RFC 9457).');

export type Problem = z.infer<typeof problem>;
