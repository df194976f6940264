import { errorCode } from '../../../ground/describe-error';
import { isStorageFailure, isTransient } from '../postgres-errors';
import { inSavepoint, type Transaction } from './transaction';

/** Handles each input in a savepoint. @returns the outcomes; the SQLSTATE of what is itself at fault */
export function each<Input, Outcome>(
  handle: (transaction: Transaction, input: Input) => Promise<Outcome | string>,
) {
  return async (transaction: Transaction, inputs: readonly Input[]): Promise<(Outcome | string)[]> => {
    const outcomes: (Outcome | string)[] = [];
    for (const input of inputs) {
      try {
        outcomes.push(await inSavepoint(transaction, () => handle(transaction, input)));
      } catch (error) {
        if (isTransient(error) || isStorageFailure(error)) throw error;
        transaction.log.warn({ err: error }, 'a change could not be written');
        outcomes.push(errorCode(error));
      }
    }
    return outcomes;
  };
}

/** Handles all inputs at once, or each in a savepoint. */
export function eachOrAll<Input, Outcome>(
  handle: (transaction: Transaction, inputs: readonly Input[]) => Promise<Outcome[]>,
) {
  const one = each(async (transaction, input: Input) => (await handle(transaction, [input]))[0]!);
  return (
    transaction: Transaction,
    inputs: readonly Input[],
    isolated: boolean,
  ): Promise<(Outcome | string)[]> => (isolated ? one(transaction, inputs) : handle(transaction, inputs));
}
