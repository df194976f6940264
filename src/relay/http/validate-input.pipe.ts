import { StandardSchemaValidationPipe } from '@nestjs/common';
import { z } from 'zod';
import { invalidRequest } from './describe-problem';
import { describeUnknownNames } from './describe-unknown-names';

/**
 * Validates input against the schema of its parameter. Nest's pipe first strips names such as `constructor`,
 * by a traversal that costs more than everything else. Here they are only data, and schemas reject unknown
 * names.
 */
export class ValidateInput extends StandardSchemaValidationPipe {
  constructor() {
    super({ exceptionFactory: invalidRequest });
  }

  protected override stripProtoKeys(): void {}

  /** By zod's own function: that of Standard Schema cannot say which names are accepted. */
  protected override validate(value: unknown, schema: z.ZodType<never>) {
    const result = z.safeParse(schema, value, { error: describeUnknownNames });
    return result.success ? { value: result.data } : { issues: result.error.issues };
  }
}
