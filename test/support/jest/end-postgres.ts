/** A project's global teardown. */
export { endPostgres as default } from './offer-postgres';
