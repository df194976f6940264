const STEPS = [
  { below: 60, size: 1, unit: 's' },
  { below: 3_600, size: 60, unit: 'min' },
  { below: 86_400, size: 3_600, unit: 'h' },
  { below: Infinity, size: 86_400, unit: 'd' },
] as const;

/** A span in its largest unit: `4 s`, `12 min`, `3 h`, `9 d`. */
export function formatSpan(milliseconds: number): string {
  const seconds = Math.max(0, Math.floor(milliseconds / 1000));
  const step = STEPS.find(({ below }) => seconds < below) ?? STEPS[3];
  return `${Math.floor(seconds / step.size)} ${step.unit}`;
}

/**
 * How far a time lies from now: `now`, `4 s ago`, `in 12 min`. The page's clock ticks by the second and the daemon's may
 * be a little ahead of it, so what lies a moment ahead is now as well.
 */
export function formatRelative(at: string, now: number): string {
  const distance = now - new Date(at).getTime();
  if (distance > -2000 && distance < 1000) return 'now';
  return distance > 0 ? `${formatSpan(distance)} ago` : `in ${formatSpan(-distance)}`;
}

/** A countdown to the second: `41:07`, `1:02:09`. */
export function formatCountdown(milliseconds: number): string {
  const total = Math.max(0, Math.floor(milliseconds / 1000));
  const [hours, minutes, seconds] = [Math.floor(total / 3600), Math.floor(total / 60) % 60, total % 60];
  const tail = `${String(minutes).padStart(hours > 0 ? 2 : 1, '0')}:${String(seconds).padStart(2, '0')}`;
  return hours > 0 ? `${hours}:${tail}` : tail;
}
