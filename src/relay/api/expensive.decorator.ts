import { SetMetadata } from '@nestjs/common';

/** `download`: an answer that goes on for as long as the other side likes. */
export type Expense = 'read' | 'download';

export const EXPENSE = 'switchboard:expense';

/** A route that reads much: of one credential only some of its requests are at work at once. */
export const Expensive = (expense: Expense = 'read') => SetMetadata(EXPENSE, expense);
