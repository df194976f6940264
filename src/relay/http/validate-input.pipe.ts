import { StandardSchemaValidationPipe } from '@nestjs/common';
import { invalidRequest } from './describe-problem';

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
}
