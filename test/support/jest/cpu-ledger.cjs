const { mkdirSync, writeFileSync } = require('node:fs');
const path = require('node:path');
const { EXPENSIVE, USUAL_SECONDS } = require('./expensive-files.cjs');

const SHOWN = 10;

const show = ({ file, worker, children, wall }) => {
  const seconds = [worker, children, wall].map((value) => value.toFixed(1).padStart(6));
  return `  ${seconds.join(' ')}  ${file}\n`;
};

/**
 * Jest reporter: writes what each test file took of the processor into `coverage/cpu-per-test-file.tsv`, dearest first, and
 * prints the sum, the dearest files and those above their ceiling. No run fails by it: seconds depend on the machine and
 * on what else it does.
 */
module.exports = class CpuLedger {
  #root;
  #rows = [];

  constructor({ rootDir }) {
    this.#root = rootDir;
  }

  onTestFileResult(test, { perfStats, numPassingTests, numFailingTests }) {
    this.#rows.push({
      file: path.relative(this.#root, test.path),
      worker: perfStats.workerSeconds ?? 0,
      children: perfStats.childrenSeconds ?? 0,
      wall: perfStats.runtime / 1000,
      tests: numPassingTests + numFailingTests,
    });
  }

  onRunComplete() {
    if (this.#rows.length < 2) return;
    this.#rows.sort((a, b) => b.worker + b.children - (a.worker + a.children));
    const folder = path.join(this.#root, 'coverage');
    mkdirSync(folder, { recursive: true });
    const ledger = path.join(folder, 'cpu-per-test-file.tsv');
    const lines = this.#rows.map((row) =>
      [row.worker, row.children, row.wall]
        .map((seconds) => seconds.toFixed(2))
        .concat(row.tests, row.file)
        .join('\t'),
    );
    writeFileSync(ledger, ['worker\tchildren\twall\ttests\tfile', ...lines, ''].join('\n'));
    process.stderr.write(this.#summary(path.relative(this.#root, ledger)));
  }

  #summary(ledger) {
    const sum = (key) => Math.round(this.#rows.reduce((total, row) => total + row[key], 0));
    const above = this.#rows.filter(({ file, worker }) => worker > (EXPENSIVE[file] ?? USUAL_SECONDS));
    return [
      `\nCPU of ${this.#rows.length} test files: ${sum('worker')} s in workers, ${sum('children')} s in ended children (${ledger})\n`,
      '  worker, ended children, wall, in seconds; the dearest:\n',
      ...this.#rows.slice(0, SHOWN).map(show),
      above.length === 0
        ? ''
        : `Above their ceiling of seconds in a worker (expensive-files.cjs): ${above.length}\n`,
      ...above.toSorted((a, b) => b.worker - a.worker).map(show),
    ].join('');
  }
};
