// One line for each check, as soon as its group is over, and what was expected where it failed.

import { isDeepStrictEqual } from 'node:util'

/** A check that does not end is one that failed. Longer than the slowest call by far. */
const CHECK_LIMIT_MS = 60_000

/** Characters of a complaint; a schema that is not met is told at length by some clients. */
const MOST_WHY = 1500

const reports = []

/** The checks of one client over one transport, or of one subject. */
export class Report {
  constructor(group) {
    this.group = group
    this.started = Date.now()
    this.lines = []
    this.passed = 0
    this.failed = 0
    reports.push(this)
  }

  /** Runs a check; its failure is noted and the next one runs all the same. */
  async check(what, run, limit = CHECK_LIMIT_MS) {
    const start = Date.now()
    let timer
    const late = new Promise((_, reject) => {
      timer = setTimeout(() => reject(new Error(`not over after ${limit / 1000} s`)), limit)
    })
    try {
      const value = await Promise.race([run(), late])
      this.pass(what, Date.now() - start)
      return value
    } catch (error) {
      this.fail(what, Date.now() - start, told(error))
      return undefined
    } finally {
      clearTimeout(timer)
    }
  }

  pass(what, ms) {
    this.passed += 1
    this.lines.push(`ok    ${this.group}: ${what} (${seconds(ms)})`)
  }

  fail(what, ms, why) {
    this.failed += 1
    this.lines.push(`FAIL  ${this.group}: ${what} (${seconds(ms)})`)
    for (const line of why.split('\n')) this.lines.push(`      ${line}`)
  }

  /** Prints the group's lines together, once. */
  print() {
    if (this.printed) return
    this.printed = true
    console.log(this.lines.join('\n'))
    console.log(`      ${this.group}: ${seconds(Date.now() - this.started)}\n`)
  }
}

/** Prints what was not printed yet, and gives the sum of all groups. */
export function sum() {
  for (const report of reports) report.print()
  const add = (key) => reports.reduce((total, report) => total + report[key], 0)
  return { passed: add('passed'), failed: add('failed') }
}

/** Fails with what was expected and what came. */
export function expect(got, expected, what) {
  if (!isDeepStrictEqual(got, expected)) {
    throw new Error(`${what}:\nexpected ${brief(expected)}\ngot      ${brief(got)}`)
  }
}

/** Fails with what came unless the condition holds. */
export function need(condition, expected, got) {
  if (!condition) throw new Error(`expected ${expected}\ngot      ${brief(got)}`)
}

/** A value in a line or so. */
export function brief(value) {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? String(value))
  return text.length > 1200 ? `${text.slice(0, 1200)}... (${text.length} characters)` : text
}

function told(error) {
  if (!(error instanceof Error)) return brief(error)
  return (error.message || String(error)).slice(0, MOST_WHY)
}

function seconds(ms) {
  return `${(ms / 1000).toFixed(1)} s`
}
