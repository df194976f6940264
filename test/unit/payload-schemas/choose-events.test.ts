import { EventChoice, type Read } from '../../../src/relay/payload-schemas/choose-events';

const TOO_LARGE = 300_000;

/** Chooses from events up to `newest`. @param typeOf @param sizeOf by `seq` */
function choiceFrom(
  newest: number,
  typeOf: (seq: number) => string,
  sizeOf: (seq: number) => number = () => 10,
) {
  const read = (sql: string, [first, limit]: unknown[]): object[] => {
    if (sql.includes('max(seq)')) return [{ seq: newest }];
    if (sql.includes('body FROM')) return (JSON.parse(first as string) as number[]).map((seq) => ({ seq }));
    const count = Math.min(limit as number, newest - (first as number));
    return Array.from({ length: count }, (_, i) => {
      const seq = (first as number) + i + 1;
      return { seq, type: typeOf(seq), size: sizeOf(seq), counts: 1 };
    });
  };
  return new EventChoice((async (sql, parameters) => read(sql, parameters)) as Read);
}

const chosen = async (choice: EventChoice, after: number) => {
  const { events, bodies, through, isLast } = (await choice.next(after))!;
  return { events: Object.fromEntries(events), seqs: bodies.map(({ seq }) => seq), through, isLast };
};

it('examines all events while it is not far behind', async () => {
  const choice = choiceFrom(4, () => 'a');
  expect(await chosen(choice, 0)).toEqual({
    events: { a: 4 },
    seqs: [1, 2, 3, 4],
    through: 4,
    isLast: true,
  });
  expect(await choice.next(4)).toBeNull();
});

it('far behind, counts all, and examines evenly spread ones of each type', async () => {
  // Three times as far behind as when it examines all.
  const choice = choiceFrom(60_000, (seq) => (seq % 100 === 0 ? 'rare' : 'many'));
  const { events, seqs, through } = await chosen(choice, 0);
  expect([events, through]).toEqual([{ many: 592, rare: 5 }, 597]);
  expect(seqs.filter((seq) => seq % 100 === 0)).toEqual([100, 400]);
  expect(seqs.filter((seq) => seq < 10)).toEqual([1, 4, 7]);
  expect(seqs).toHaveLength(200);
});

it('counts large payloads without examining them', async () => {
  const choice = choiceFrom(
    3,
    () => 'a',
    (seq) => (seq === 2 ? TOO_LARGE : 10),
  );
  expect(await chosen(choice, 0)).toMatchObject({ events: { a: 3 }, seqs: [1, 3] });
});
