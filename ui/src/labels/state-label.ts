/** What a colour means here; colour is used for nothing else. */
export type Tone = 'ok' | 'busy' | 'warn' | 'bad' | 'idle';

/** A state as a person reads it. */
export interface StateLabel {
  tone: Tone;
  label: string;
  description: string;
}
