// Clients that nobody here wrote, against the real program with simulated clocks: every tool,
// every error code, progress and cancellation, over HTTP and over pipes.
//
// usage: run.mjs [WORD...]: only the groups whose names hold one of the words.

import { GROUPS } from './groups.mjs'
import { endAll } from './regie.mjs'
import { Report, sum } from './report.mjs'

/** All of it together; a healthy run takes a third of this on two processors. */
const LIMIT_MS = 360_000
/** Groups at a time. They mostly wait for simulated clocks. */
const AT_ONCE = 6

function end() {
  const { passed, failed } = sum()
  console.log(`${passed} passed, ${failed} failed`)
  process.exit(failed === 0 && passed > 0 ? 0 : 1)
}

process.on('exit', endAll)
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => process.exit(1))
setTimeout(() => {
  new Report('all').fail('the run ends in time', LIMIT_MS, `not over after ${LIMIT_MS / 1000} s`)
  end()
}, LIMIT_MS).unref()

const words = process.argv.slice(2)
const queue = GROUPS.filter(([name]) => words.length === 0 || words.some((word) => name.includes(word)))
async function work() {
  for (let next = queue.shift(); next; next = queue.shift()) {
    const [name, run] = next
    const report = new Report(name)
    try {
      await run(report)
    } catch (error) {
      report.fail('the group runs', 0, String(error?.stack ?? error))
    }
    report.print()
  }
}
await Promise.all(Array.from({ length: AT_ONCE }, work))
end()
