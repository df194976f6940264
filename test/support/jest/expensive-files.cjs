/** What a test file may take of the processor in its worker, in seconds of an otherwise idle machine. */
exports.USUAL_SECONDS = 3;

/** Files that may take more, each with its own ceiling. */
exports.EXPENSIVE = {};
