import offerPostgres from './offer-postgres';
import storeInMemory from './store-in-memory';

/** The global setup of tests that run daemons. */
export default function prepareDaemons(): Promise<void> {
  storeInMemory();
  return offerPostgres();
}
