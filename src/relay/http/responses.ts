import { applyDecorators } from '@nestjs/common';
import type { z } from 'zod';
import { problem } from '../../contract/problem';

type Swagger = typeof import('@nestjs/swagger');

/** What the routes say of themselves, until their description is asked for: what makes it is a fifth of what a start would load. */
const told: ((swagger: Swagger) => void)[] = [];

/** Documents what a route answers, by the schema that the dashboard's types come from. */
export function Answers(status: number, schema: z.ZodType | null, description: string): MethodDecorator {
  const answer = schema === null ? { status, description } : { status, description, standardSchema: schema };
  const refusal = {
    status: 'default',
    description: 'What went wrong (RFC 9457)',
    standardSchema: problem,
  } as const;
  return (prototype, method, descriptor) => {
    told.push(({ ApiResponse }) =>
      applyDecorators(ApiResponse(answer), ApiResponse(refusal))(prototype, method, descriptor),
    );
  };
}

/** Documents the media type of an answer that is not JSON. */
export function Produces(type: string): MethodDecorator {
  return (prototype, method, descriptor) => {
    told.push(({ ApiProduces }) => ApiProduces(type)(prototype, method, descriptor));
  };
}

/** Keeps a controller out of the description: its routes are for browsers. */
export function Undocumented(): ClassDecorator {
  return (controller) => {
    told.push(({ ApiExcludeController }) => ApiExcludeController()(controller));
  };
}

/** Hands on what the routes have said. */
export function documentRoutes(swagger: Swagger): void {
  for (const tell of told.splice(0)) tell(swagger);
}
