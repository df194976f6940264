import { RelayError } from '../ground/relay-error';

/** `transform_unavailable`, 503 */
export const transformUnavailable = () =>
  new RelayError('transform_unavailable', 503, 'Expressions cannot be evaluated at present.', {
    remedy: 'The log says why the process for them does not start; look for its memory and process limits.',
  });
