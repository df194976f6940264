import { z } from 'zod';

/** The requests of an exam, in the order in which they are sent. */
export const EXAM_CASES = [
  'valid',
  'repeated',
  'altered_body',
  'wrong_secret',
  'old_timestamp',
  'unsigned',
] as const;
export type ExamCase = (typeof EXAM_CASES)[number];

const examResult = z.object({
  case: z
    .enum(EXAM_CASES)
    .describe(
      'What was sent: a `valid` request; the same again; one whose body was altered after it was signed; one signed with another secret; one with a timestamp an hour old; one without a signature.',
    ),
  passed: z
    .boolean()
    .describe('Whether the response is right: success for the first two, otherwise 4xx, but not 429.'),
  status: z.number().int().nullable().describe('HTTP status; null without a response.'),
  duration_ms: z.number().int().nullable().describe('How long it took; null if it was not sent.'),
  sentence: z.string().describe('What the receiver did, and what to change if that is wrong.'),
  section: z
    .string()
    .describe('The part of the documentation that helps, such as `docs/receivers.md#example-receivers`.'),
});
export type ExamResult = z.infer<typeof examResult>;

export const targetExam = z
  .object({
    passed: z.boolean().describe('Whether all responses are right.'),
    results: z.array(examResult).describe('One for each of the six requests, in the order they were sent.'),
  })
  .describe('Whether a receiver verifies what it is sent.');
export type TargetExam = z.infer<typeof targetExam>;
