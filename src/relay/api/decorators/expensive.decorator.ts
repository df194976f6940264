import { SetMetadata } from '@nestjs/common';

/** `download`: a streamed response, whose duration depends on the client. */
export type Expense = 'read' | 'download';

export const EXPENSE = 'switchboard:expense';

/** Marks a route with expensive reads: each caller may run only a few such requests at a time. */
export const Expensive = (expense: Expense = 'read') => SetMetadata(EXPENSE, expense);
