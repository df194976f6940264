/** Reads; each call is one step, after which others have their turn. */
export type Read = <Row>(statement: [sql: string, parameters: unknown[]]) => Promise<Row[]>;
