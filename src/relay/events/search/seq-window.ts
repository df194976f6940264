/** Up to, and without, these events by `seq`: what is read in one go. */
export interface Window {
  after: number;
  through: number;
}

/** So many windows speak for all. */
export const SAMPLES = 20;

/** From its first events to its last, at even distances. */
export function* samplesOf({ after, through }: Window, step: number): Generator<Window> {
  const distance = (through - step - after) / (SAMPLES - 1);
  for (let i = 0; i < SAMPLES; i += 1) {
    const from = after + Math.round(i * distance);
    yield { after: from, through: from + step };
  }
}
