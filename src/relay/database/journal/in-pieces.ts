import { FittedStep } from '../adaptive-step';

/** Events by `seq` that one read looks at. */
const PIECE = { first: 20_000, least: 1_000, most: 10_000_000 };

/** Up to, and without, these events by `seq`. */
export interface SeqPiece {
  after: number;
  through: number;
}

/** Reads of all events of a range in pieces, oldest first: each read is short, so that others come in between. */
export async function* inPieces<Row>(
  { after, through }: SeqPiece,
  read: (piece: SeqPiece) => Promise<Row[]>,
): AsyncGenerator<Row[]> {
  const step = new FittedStep(PIECE.first, PIECE.least, PIECE.most);
  for (let from = after; from < through;) {
    const piece = { after: from, through: Math.min(through, from + step.size) };
    yield await step.during(() => read(piece));
    from = piece.through;
  }
}
