import { StandardSchemaValidationPipe } from '@nestjs/common';
import { z } from 'zod';
import { ExactNumber } from '../ground/exact-number';
import { distance } from '../ground/distance';
import { invalidRequest, truncate } from './describe-problem';

const MAX_NAMES = 5;
const MAX_NAME_LENGTH = 40;

/** The message for a number that would be rounded, and for names that an object does not accept; undefined for others. */
const describeIssue: z.core.$ZodErrorMap = (issue) => {
  if (issue.code === 'invalid_type' && issue.input instanceof ExactNumber)
    return `Invalid input: expected ${issue.expected}, received ${truncate(String(issue.input), MAX_NAME_LENGTH)}, which would be rounded: at most 15 digits are kept`;
  return issue.code === 'unrecognized_keys' && issue.inst instanceof z.ZodObject
    ? `Unknown: ${listNames(issue.keys)}.${nearest(issue.keys[0]!, Object.keys(issue.inst.shape))} Accepted names: ${Object.keys(issue.inst.shape).join(', ')}.`
    : undefined;
};

/** What differs from an accepted name by this many letters is that name with typing errors. */
const MAX_TYPING_ERRORS = 2;

function nearest(unknown: string, names: readonly string[]): string {
  const name = truncate(unknown, MAX_NAME_LENGTH);
  const found = names.find((one) => distance(name, one) <= MAX_TYPING_ERRORS);
  return found === undefined ? '' : ` Did you mean ${found}?`;
}

/** The first names of an input, truncated, and the number of the others. */
function listNames(names: readonly string[]): string {
  const some = names.slice(0, MAX_NAMES).map((name) => JSON.stringify(truncate(name, MAX_NAME_LENGTH)));
  const more = names.length - some.length;
  return more > 0 ? `${some.join(', ')} and ${more} more` : some.join(', ');
}

/**
 * Validates input against the schema of its parameter. Nest's pipe first strips names such as `constructor`, by a
 * traversal that costs more than everything else. Here they are only data, and schemas reject unknown names.
 */
export class ValidateInput extends StandardSchemaValidationPipe {
  constructor() {
    super({ exceptionFactory: invalidRequest });
  }

  protected override stripProtoKeys(): void {}

  /** By zod's own function: that of Standard Schema cannot say which names are accepted. */
  protected override validate(value: unknown, schema: z.ZodType<never>) {
    const result = z.safeParse(schema, value, { error: describeIssue });
    return result.success ? { value: result.data } : { issues: result.error.issues };
  }
}
