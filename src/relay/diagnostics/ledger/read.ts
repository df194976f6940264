/** Runs a query; other work may run between two calls. */
export type Read = <Row>(statement: [sql: string, parameters: unknown[]]) => Promise<Row[]>;
