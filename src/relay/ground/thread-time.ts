/** Monotonic time in ms, the same in all threads of the process; that of `performance` begins with each thread. */
export const threadTime = (): number => Number(process.hrtime.bigint() / 1_000n) / 1_000;
