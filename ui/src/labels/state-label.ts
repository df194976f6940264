/** The meaning of a colour. Colour is used for nothing else. */
export type Tone = 'ok' | 'busy' | 'warn' | 'bad' | 'idle';

/** A state as shown to the user. */
export interface StateLabel {
  tone: Tone;
  label: string;
  description: string;
}

export const needsAttention = ({ tone }: Pick<StateLabel, 'tone'>): boolean =>
  tone === 'bad' || tone === 'warn';
