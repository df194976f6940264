/** The same items; while one is worked on, the next one is already being made. */
export async function* oneAhead<Item>(items: AsyncGenerator<Item>): AsyncGenerator<Item> {
  let next = items.next();
  try {
    for (let current = await next; current.done !== true; current = await next) {
      next = items.next();
      // Thrown when it is taken, unless no more is wanted by then.
      next.catch(() => undefined);
      yield current.value;
    }
  } finally {
    await items.return(undefined);
  }
}
