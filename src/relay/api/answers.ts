import { applyDecorators } from '@nestjs/common';
import { ApiResponse } from '@nestjs/swagger';
import type { z } from 'zod';
import { problem } from '../../contract/problem';

/** Documents what a route answers, by the schema that the dashboard's types come from. */
export function Answers(status: number, schema: z.ZodType | null, description: string): MethodDecorator {
  return applyDecorators(
    ApiResponse(schema === null ? { status, description } : { status, description, standardSchema: schema }),
    ApiResponse({ status: 'default', description: 'What went wrong (RFC 9457)', standardSchema: problem }),
  );
}
