import { RecordingTarget } from './recording-target';

/** Starts receivers for the tests of a file, and closes them after the last one. */
export function useReceivers(): typeof RecordingTarget.start {
  const started: RecordingTarget[] = [];
  afterAll(() => Promise.all(started.map((receiver) => receiver.close())));
  return async (...options) => {
    const receiver = await RecordingTarget.start(...options);
    started.push(receiver);
    return receiver;
  };
}
