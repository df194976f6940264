import { SetMetadata } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';

/** `download`: a streamed response, whose duration depends on the client. `held`: it waits for events. */
export type Expense = 'read' | 'download' | 'held';

export const EXPENSE = 'switchboard:expense';

/** Marks a route with expensive reads: each caller may run only a few such requests at a time. */
export const Expensive = (expense: Expense | ((request: FastifyRequest) => Expense) = 'read') =>
  SetMetadata(EXPENSE, typeof expense === 'string' ? () => expense : expense);
