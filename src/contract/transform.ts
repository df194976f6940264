import { z } from 'zod';
import { filter } from './filter';
import { eventId, eventPattern, textOf } from './primitives';

export const expression = textOf(32_768, 1).describe(
  'A JSONata expression, of the payload and the variables `$event` (`id`, `seq`, `type`, `entity`, `received_at`), `$target` (`name`) and `$previous` (the payload that the event is compared with, as by filters on changes: null if the event created its entity, no value if nothing is known). Its result is the body: JSON, or, if the content type is not JSON, a text as it is.',
);

export const transformFailure = z
  .object({
    code: z
      .string()
      .describe(
        "JSONata's code, such as `T2001`, or `number_too_large`, `payload_not_json`, `no_result`, `result_not_json`, `result_too_large`, `too_slow`, `process_ended`, `previous_unavailable`, `evaluation_failed`.",
      ),
    position: z
      .number()
      .int()
      .nullable()
      .describe('Where in the expression, in characters from 0; null if it is nowhere in particular.'),
    message: z.string().describe('What is wrong.'),
  })
  .describe('Why an expression has no usable result.');
export type TransformFailure = z.infer<typeof transformFailure>;

export const contentType = z
  .string()
  .max(100)
  .regex(/^[\w.+-]+\/[\w.+-]+(?:; ?[\w-]+=[\w.+-]+)*$/, 'a media type, such as application/json')
  .describe('The `content-type` of the new body.');

const transformFields = {
  language: z.literal('jsonata').describe('The language of the expression.'),
  expression,
  content_type: contentType,
  on_error: z
    .enum(['dead', 'pause'])
    .describe(
      'When the expression fails: `dead`: the delivery becomes a dead letter, and after five different events in a row the target is paused; `pause`: the target is paused at once, and the delivery stays queued.',
    ),
};

const MAX_TESTS = 20;
const MAX_TESTS_LENGTH = 262_144;

/** JSON null is a value, too. */
const anyValue = z.unknown().refine((value): boolean => value !== undefined, 'is required');

export const transformTest = z
  .strictObject({
    name: textOf(80, 1).describe('Its name.'),
    input: anyValue.describe('A payload.'),
    previous: z
      .unknown()
      .optional()
      .describe('`$previous`: a payload, or null as for an event that created its entity; otherwise none.'),
    expected: anyValue.describe(
      'What is to be made of it: the JSON, or the text if the content type is not JSON.',
    ),
    from_event_id: eventId
      .optional()
      .describe(
        'The event that the payload is of: `$event` and the time are those of its id, otherwise those of no event.',
      ),
    previous_event_id: eventId
      .nullish()
      .describe('The event that `previous` is of; null if that is not stored any more.'),
  })
  .describe('A payload, and what the expression is to make of it.');
export type TransformTest = z.infer<typeof transformTest>;

const transformTests = z
  .array(transformTest)
  .max(MAX_TESTS)
  .refine((tests) => JSON.stringify(tests).length <= MAX_TESTS_LENGTH, 'is longer than 256 KiB')
  .describe('Tests of the expression, which are run whenever it is saved; at most 256 KiB.');

export const transformSettings = z
  .strictObject({
    ...transformFields,
    language: transformFields.language.default('jsonata'),
    content_type: contentType.default('application/json'),
    on_error: transformFields.on_error.default('dead'),
    tests: transformTests
      .optional()
      .describe(
        'Tests of the expression. A change without them leaves those that it has; in a manifest, none is the default.',
      ),
  })
  .describe('What the target is sent instead of the payload; only for the format `json`.');
export type TransformSettings = z.infer<typeof transformSettings>;

export const transform = z
  .object({
    ...transformFields,
    version: z
      .number()
      .int()
      .describe('Counts the changes of the expression and its content type; requests and attempts name it.'),
    tests: transformTests.optional().describe('Left out for callers to whom values of payloads are masked.'),
  })
  .describe('What the target is sent instead of the payload.');

export const transformPreviewQuery = z
  .strictObject({
    expression,
    content_type: contentType.default('application/json'),
    event_id: eventId.optional().describe('Only this event.'),
    events: z.array(eventPattern).min(1).max(50).default(['*']).describe('As `events` of a target.'),
    filter: filter.nullable().default(null).describe('As `filter` of a target.'),
    name: textOf(80).default('').describe('What `$target.name` is.'),
    last: z.number().int().min(1).max(200).default(50).describe('How many of the newest matching events.'),
  })
  .describe('An expression, and the stored events with which to evaluate it.');
export type TransformPreviewQuery = z.infer<typeof transformPreviewQuery>;

export const transformPreview = z
  .object({
    checked: z
      .number()
      .int()
      .describe('With how many events it was evaluated; fewer if that takes too long, or makes too much.'),
    failed: z.number().int().describe('With how many of them it failed.'),
    p95_ms: z.number().nullable().describe('95 % took no longer; null if it failed with all.'),
    data: z
      .array(
        z
          .object({
            event_id: eventId.describe('The id of the event.'),
            ok: z.boolean().describe('Whether it has a result.'),
            previous: z
              .unknown()
              .optional()
              .describe('`$previous`, if the expression names it and it has a value.'),
            previous_event_id: eventId
              .nullish()
              .describe('The event that `previous` is of; null if that is not stored any more.'),
            output: z
              .unknown()
              .optional()
              .describe('What would be sent: the JSON, or the text if the content type is not JSON.'),
            error: transformFailure.optional(),
          })
          .describe('The result with one event.'),
      )
      .describe('The results, newest event first.'),
  })
  .describe('What an expression makes of stored events.');
export type TransformPreview = z.infer<typeof transformPreview>;

export const transformTestRun = z
  .strictObject({
    expression: expression.optional().describe('By default that of the target.'),
    content_type: contentType.optional().describe('By default that of the target.'),
    tests: transformTests.optional().describe('By default those of the target.'),
  })
  .default({})
  .describe('What to test instead of what is saved.');
export type TransformTestRun = z.infer<typeof transformTestRun>;

export const transformTestResults = z
  .object({
    failed: z.number().int().describe('How many of them failed.'),
    data: z
      .array(
        z
          .object({
            name: z.string().describe('The name of the test.'),
            ok: z.boolean().describe('Whether the expression makes what is expected.'),
            output: z.unknown().optional().describe('What it makes.'),
            error: transformFailure.optional(),
            differences: z
              .array(
                z.object({
                  path: z.string().describe('Names, separated by dots; empty for the whole.'),
                  expected: z.unknown().optional().describe('Missing if nothing is expected there.'),
                  output: z.unknown().optional().describe('Missing if there is nothing.'),
                }),
              )
              .optional()
              .describe('Where the output is not what is expected.'),
          })
          .describe('The result of one test.'),
      )
      .describe('The results, up to the first that took too long or exhausted the memory.'),
  })
  .describe('What the tests of an expression have found.');
export type TransformTestResults = z.infer<typeof transformTestResults>;
