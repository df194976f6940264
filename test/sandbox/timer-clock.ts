interface Alarm {
  at: number;
  run: () => void;
}

/** A clock that stands still until it is moved. */
export class TimerClock {
  private alarms: Alarm[] = [];

  constructor(private time = Date.parse('2026-03-02T09:30:00.000Z')) {}

  now(): number {
    return this.time;
  }

  after(ms: number, run: () => void): () => void {
    const alarm = { at: this.time + ms, run };
    this.alarms.push(alarm);
    return () => {
      this.alarms = this.alarms.filter((other) => other !== alarm);
    };
  }

  /** Moves on by `ms`, running what falls due in its order. */
  move(ms: number): void {
    const end = this.time + ms;
    for (let next = this.nextUntil(end); next; next = this.nextUntil(end)) {
      this.alarms.splice(this.alarms.indexOf(next), 1);
      this.time = next.at;
      next.run();
    }
    this.time = end;
  }

  /** Finds itself `ms` later at once, as after a sleep of the machine: what fell due runs late, once. */
  jump(ms: number): void {
    this.time += ms;
    const due = this.alarms.filter((alarm) => alarm.at <= this.time);
    this.alarms = this.alarms.filter((alarm) => alarm.at > this.time);
    for (const alarm of due) alarm.run();
  }

  /** How many alarms are set. */
  get alarmsSet(): number {
    return this.alarms.length;
  }

  private nextUntil(end: number): Alarm | undefined {
    return this.alarms.filter((alarm) => alarm.at <= end).toSorted((a, b) => a.at - b.at)[0];
  }
}
