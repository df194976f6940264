/** The deliveries were created for all events up to the `seq` `position`; `events` is their number. */
export interface Progress {
  position: number;
  events: number;
}

/**
 * The progress of a replay for each of its targets. Targets that keep up share one track; a target whose queue would
 * delay the others lags behind on a track of its own until it has caught up.
 */
export interface Tracks {
  shared: Progress;
  /** One for each target that lags behind. */
  lagging: (Progress & { target: number })[];
}

/** As stored and shown: the progress of the slowest target. */
export interface StoredProgress extends Progress {
  /** Null if all targets share one position. */
  tracks: Tracks | null;
}

/**
 * Moves targets that have caught up to the shared track. Events that retention removed before they were sent to such
 * a target are not counted.
 */
export function joinCaughtUp({ shared, lagging }: Tracks): Tracks {
  const caughtUp = lagging.filter(({ position }) => position >= shared.position);
  return {
    shared: { ...shared, events: lowest([shared, ...caughtUp], 'events') },
    lagging: lagging.filter((track) => !caughtUp.includes(track)),
  };
}

export function toStoredProgress(tracks: Tracks): StoredProgress {
  const all = [tracks.shared, ...tracks.lagging];
  return {
    position: lowest(all, 'position'),
    events: lowest(all, 'events'),
    tracks: tracks.lagging.length === 0 ? null : tracks,
  };
}

const lowest = (all: readonly Progress[], key: keyof Progress) =>
  Math.min(...all.map((progress) => progress[key]));
