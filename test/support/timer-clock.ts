interface Timer {
  at: number;
  run: () => void;
}

/** A clock that advances only on request. */
export class TimerClock {
  private timers: Timer[] = [];

  constructor(private time = Date.parse('2026-03-02T09:30:00.000Z')) {}

  now(): number {
    return this.time;
  }

  after(ms: number, run: () => void): () => void {
    const alarm = { at: this.time + ms, run };
    this.timers.push(alarm);
    return () => {
      this.timers = this.timers.filter((other) => other !== alarm);
    };
  }

  /** Advances by `ms` and runs due timers in order. */
  move(ms: number): void {
    const end = this.time + ms;
    for (let next = this.nextUntil(end); next; next = this.nextUntil(end)) {
      this.timers.splice(this.timers.indexOf(next), 1);
      this.time = next.at;
      next.run();
    }
    this.time = end;
  }

  /** Jumps ahead by `ms`, as after a suspend: due timers run late, once. */
  jump(ms: number): void {
    this.time += ms;
    const due = this.timers.filter((alarm) => alarm.at <= this.time);
    this.timers = this.timers.filter((alarm) => alarm.at > this.time);
    for (const alarm of due) alarm.run();
  }

  /** The number of pending timers. */
  get pendingTimers(): number {
    return this.timers.length;
  }

  private nextUntil(end: number): Timer | undefined {
    return this.timers.filter((alarm) => alarm.at <= end).toSorted((a, b) => a.at - b.at)[0];
  }
}
