import type { Tone } from '../labels/state-label';
import classes from './progress-bar.module.css';

interface ProgressBarProps {
  label: string;
  done: number;
  total: number;
  tone?: Tone;
}

/** A progress bar; it is full if the total is 0. */
export function ProgressBar({ label, done, total, tone = 'busy' }: ProgressBarProps) {
  return (
    <progress
      aria-label={label}
      className={classes.bar}
      data-tone={tone}
      max={Math.max(1, total)}
      value={total === 0 ? 1 : Math.min(done, total)}
    />
  );
}
