import type { PoolClient } from 'pg';
import { StartupError } from '../../ground/relay-error';

const OLDEST_VERSION = 15;

interface Server {
  version: number;
  versionText: string;
  synchronousCommit: string;
  fsync: string;
  replicationRole: string;
  isStandby: 0 | 1;
  encoding: string;
  schema: string | null;
  mayCreate: 0 | 1 | null;
  mayCreateTemporary: 0 | 1;
  role: string;
  database: string;
}

const SELECT_SERVER = `SELECT current_setting('server_version_num')::int / 10000 AS version,
  current_setting('server_version') AS "versionText", (SELECT reset_val FROM pg_settings WHERE name = 'synchronous_commit') AS "synchronousCommit",
  current_setting('fsync') AS fsync, current_setting('session_replication_role') AS "replicationRole", pg_is_in_recovery() AS "isStandby",
  pg_encoding_to_char((SELECT encoding FROM pg_database WHERE datname = current_database())) AS encoding,
  current_schema() AS schema, has_schema_privilege(current_schema(), 'CREATE') AS "mayCreate",
  has_database_privilege(current_database(), 'TEMPORARY') AS "mayCreateTemporary",
  current_user AS role, current_database() AS database`;

/**
 * Checks that the server keeps what is acknowledged, and lets Switchboard create its tables.
 * @returns the database's name for messages
 * @throws StartupError with everything that is wrong
 */
export async function checkServer(client: PoolClient): Promise<string> {
  const { rows } = await client.query(SELECT_SERVER);
  const server = rows[0] as Server;
  const faults = [...findFaults(server)];
  if (faults.length > 0) throw new StartupError(faults.map((fault) => ({ where: 'DATABASE_URL', ...fault })));
  return `the database ${server.database}`;
}

function* findFaults(server: Server): Generator<{ what: string; remedy: string }> {
  if (server.version < OLDEST_VERSION)
    yield {
      what: `The server is PostgreSQL ${server.versionText}; at least version ${OLDEST_VERSION} is required.`,
      remedy: 'Upgrade the server, or use another one.',
    };
  if (server.isStandby === 1)
    yield {
      what: 'The server is a standby, which accepts no changes.',
      remedy: 'Set the address of the primary, or a name or virtual address that follows it.',
    };
  if (server.synchronousCommit === 'off')
    yield {
      what: 'synchronous_commit is off: a crash of the server would lose events that were acknowledged.',
      remedy: `Run ALTER ROLE "${server.role}" SET synchronous_commit = on, or remove the setting from the address.`,
    };
  if (server.fsync === 'off')
    yield {
      what: 'fsync is off: a crash of its machine would lose events that were acknowledged, or damage the database.',
      remedy: 'Set fsync = on in postgresql.conf.',
    };
  if (server.replicationRole !== 'origin')
    yield {
      what: `session_replication_role is ${server.replicationRole}: no trigger runs, so daemons would not learn of changes.`,
      remedy: `Run ALTER ROLE "${server.role}" RESET session_replication_role, or remove it from the database or the address.`,
    };
  if (server.encoding !== 'UTF8')
    yield {
      what: `The database ${server.database} has the encoding ${server.encoding}, which cannot hold every text.`,
      remedy: `Create one with: CREATE DATABASE … ENCODING 'UTF8' TEMPLATE template0.`,
    };
  if (server.schema === null)
    yield {
      what: `The role ${server.role} has no schema for its tables: none in its search_path exists.`,
      remedy: `Run CREATE SCHEMA "${server.role}" AUTHORIZATION "${server.role}".`,
    };
  else if (server.mayCreate !== 1)
    yield {
      what: `The role ${server.role} may not create tables in the schema ${server.schema}.`,
      remedy: `Run GRANT CREATE ON SCHEMA "${server.schema}" TO "${server.role}".`,
    };
  if (server.mayCreateTemporary !== 1)
    yield {
      what: `The role ${server.role} may not create temporary tables in the database ${server.database}.`,
      remedy: `Run GRANT TEMPORARY ON DATABASE "${server.database}" TO "${server.role}".`,
    };
}
