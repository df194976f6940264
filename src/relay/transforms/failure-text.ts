import type { TransformFailure } from '../../contract/transform';

/** Where an expression failed, without anything of the payload: `T2001 at character 8`. */
export const failurePlace = ({ code, position }: TransformFailure): string =>
  position === null ? code : `${code} at character ${position}`;

/** Where and why it failed. The message may quote values of the payload. */
export const failureText = (failure: TransformFailure): string =>
  `${failurePlace(failure)}: ${failure.message}`;
