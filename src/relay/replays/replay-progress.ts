/** Up to the event `position` everything that is part of a replay has its deliveries: `events` of them. */
export interface Progress {
  position: number;
  events: number;
}

/** How far a replay has come with each of its targets: those that keep up share the lead. */
export interface Tracks {
  lead: Progress;
  /** One for each target that does not keep up, by its number. */
  behind: (Progress & { target: number })[];
}

/** As it is stored, and shown: the replay is as far as the last of its targets. */
export interface StoredProgress extends Progress {
  /** Null where all targets are equally far. */
  tracks: Tracks | null;
}

/**
 * A target that is as far as the lead keeps up again. What retention took before its turn was not sent to all, and so does
 * not count as sent.
 */
export function joined({ lead, behind }: Tracks): Tracks {
  const caughtUp = behind.filter(({ position }) => position >= lead.position);
  return {
    lead: { ...lead, events: least([lead, ...caughtUp], 'events') },
    behind: behind.filter((one) => !caughtUp.includes(one)),
  };
}

export function storedProgress(tracks: Tracks): StoredProgress {
  const all = [tracks.lead, ...tracks.behind];
  return {
    position: least(all, 'position'),
    events: least(all, 'events'),
    tracks: tracks.behind.length === 0 ? null : tracks,
  };
}

const least = (all: readonly Progress[], what: keyof Progress) => Math.min(...all.map((one) => one[what]));
