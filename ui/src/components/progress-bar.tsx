import type { Tone } from '../text/tone';
import classes from './progress-bar.module.css';

interface ProgressBarProps {
  label: string;
  done: number;
  total: number;
  tone?: Tone;
}

/** How far something has come. */
export function ProgressBar({ label, done, total, tone = 'busy' }: ProgressBarProps) {
  const percent = total === 0 ? 100 : Math.min(100, Math.floor((done / total) * 100));
  return (
    <div
      role="progressbar"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={percent}
      className={classes.bar}
      data-tone={tone}
    >
      <div className={classes.done} style={{ width: `${percent}%` }} />
    </div>
  );
}
