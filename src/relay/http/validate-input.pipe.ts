import { StandardSchemaValidationPipe } from '@nestjs/common';
import { invalidRequest } from './describe-problem';

/**
 * Checks input against the schema of its argument. Nest's own would first take names such as `constructor` out of it, by a
 * walk that costs more than all the rest: here they are data, and a schema refuses what it does not know.
 */
export class ValidateInput extends StandardSchemaValidationPipe {
  constructor() {
    super({ exceptionFactory: invalidRequest });
  }

  protected override stripProtoKeys(): void {}
}
